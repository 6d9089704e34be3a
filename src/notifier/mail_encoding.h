// How mail carries what is not plain ASCII. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpusched::notifier {

// A header's value (RFC 2047): encoded words where it is not printable ASCII, folded into lines.
// `name_size` bytes stand before it on its first line.
std::string header_words(std::string_view text, std::size_t name_size);
// Base64 in lines of 76, each with its end.
std::string base64_lines(std::string_view bytes);
// Quoted-printable (RFC 2045) with lines of at most 76; ends with a line end.
std::string quoted_printable(std::string_view text);
// As DATA sends it: lines end in CR LF, a dot at the beginning is doubled, and ". " ends it.
std::string as_data(std::string_view message);

}  // namespace gpusched::notifier
