// The certificates of servers that no authority vouches for, as they were when they were first
// seen. One line each: "box:7340 AB:CD:…", as ssh does it with keys.
#pragma once

#include <string>

#include "base/result.h"

namespace gpusched {

enum class Acquaintance : unsigned char { kKnown, kNew };

// Keeps one that is new. An error: another one is kept, or the file cannot be used; it names the
// file and the line.
Result<Acquaintance> meet_server(const std::string& file, const std::string& server,
                                 const std::string& fingerprint);

}  // namespace gpusched
