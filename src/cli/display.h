// Text for people: what may stand in a cell of a terminal, how wide it is, how it is cut.
// Names and commands come from other users: nothing of theirs may move a cursor or ring a bell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpusched::cli {

enum class Style : unsigned char { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };

// Control characters and bytes that are not UTF-8 as \n, \t, \x1b; the rest as it is.
std::string escaped(std::string_view text);
// Columns on a terminal. REQUIRES: escaped text.
std::size_t display_width(std::string_view text);
// At most `width` columns, with "…" where something was cut off. REQUIRES: escaped text.
std::string cut(std::string_view text, std::size_t width);
// The text broken into lines of at most `width` columns at spaces; 0: one line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);
// With the escape sequences of `style` around it if `colour`.
std::string styled(std::string_view text, Style style, bool colour);

}  // namespace gpusched::cli
