// Bars and small curves made of characters. They can be told apart without colours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/top/state.h"

namespace gpusched::cli::top {

// "████▒▒░░··": used by jobs, used by others, promised to jobs but not used, free. Nothing is known
// of a card that does not answer: "-".
std::string memory_bar(const CardView& card, std::size_t width);
// "██████····"
std::string load_bar(const std::optional<double>& percent, std::size_t width);
// The newest at the right; blank where nothing was known.
std::string load_curve(const LoadHistory& history, std::size_t width);
// "31.0/140.4 GiB"; "-/140.4 GiB" if the first is not known.
std::string used_of_total(const std::optional<std::uint64_t>& used, std::uint64_t total);

// The same line for a terminal that shows ASCII alone.
std::string in_ascii(std::string_view text);

}  // namespace gpusched::cli::top
