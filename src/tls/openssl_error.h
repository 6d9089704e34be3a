// What OpenSSL says of its last failure, in words. Internal to this folder.
#pragma once

#include <string>

namespace gpusched {

// Takes all that has gathered. "no reason given" if it said nothing.
std::string openssl_error();
// Before the first use: no file and no variable of the environment configures the library.
void prepare_openssl();

}  // namespace gpusched
