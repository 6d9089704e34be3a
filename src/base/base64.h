// Base64 (RFC 4648) with padding, as mail and signatures in URLs want it.
#pragma once

#include <string>
#include <string_view>

namespace gpusched {

std::string base64(std::string_view bytes);

}  // namespace gpusched
