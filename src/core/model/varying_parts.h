// Numbers, dates and random names in a command: what differs between runs of one program.
#pragma once

#include <string>
#include <string_view>

namespace gpusched {

// The text with what varies replaced by `#`.
std::string without_varying_parts(std::string_view text);

}  // namespace gpusched
