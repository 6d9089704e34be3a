// The certificates of servers that no authority vouches for, as they were when they were first
// seen. One line each: "box:7340 AB:CD:…", as ssh does it with keys. A line that cannot be read is
// an error: it may be the one that matters.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gpusched {

enum class Acquaintance : unsigned char { kKnown, kNew };
// kVouched: an authority vouches for it, and nothing is kept. kUnheard: nothing is kept either.
enum class Meeting : unsigned char { kFirst, kVouched, kUnheard };

// Keeps one that is new. An error: another one is kept, or the file cannot be used; it names the
// file and the line.
Result<Acquaintance> meet_server(const std::string& file, const std::string& server,
                                 const std::string& fingerprint, Meeting how = Meeting::kFirst);
// Letters in capitals, for comparison. An error: it is not 32 bytes such as AB:CD:…
Result<std::string> parse_fingerprint(std::string_view text);

}  // namespace gpusched
