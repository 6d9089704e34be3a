// A line of numbers with a check sum, for small files that are written over in place: what was cut
// off, changed, or is not ours, is not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched {

// `begin` says what kind of line it is.
std::string number_line(std::string_view begin, const std::vector<std::uint64_t>& numbers);
// From the start of `text`; what follows the line does not matter.
std::optional<std::vector<std::uint64_t>> read_number_line(std::string_view begin,
                                                           std::string_view text);

}  // namespace gpusched
