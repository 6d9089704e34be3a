// Text that somebody else chose, such as the name of a job, made harmless for where it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpusched::notifier {

// One line of proper UTF-8: line ends and other control characters become spaces, and characters
// that turn the direction of what follows are left out.
std::string one_line(std::string_view text);
// The same, but lines stay lines.
std::string clean_lines(std::string_view text);
// At most `most` bytes, no half of a character; what was cut ends in "…".
std::string cut(std::string_view text, std::size_t most);
// "9,999"
std::string with_commas(std::uint64_t number);
// A backslash before what Markdown gives a meaning to.
std::string escape_markdown(std::string_view text);
// "@channel" calls nobody: an invisible character stands behind each "@".
std::string without_mentions(std::string_view text);
// &, < and > as &amp;, &lt; and &gt;.
std::string escape_entities(std::string_view text);

}  // namespace gpusched::notifier
