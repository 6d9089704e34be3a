// Sizes, durations and times as people write them. One reading for the command line, the
// configuration file, job files and directives; one writing for every table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gpusched {

// "24G", "512M", "1.5G", "800" (bytes), "24GiB"; G is GiB. Errors name the text.
Result<std::uint64_t> parse_size(std::string_view text);
// "24.0 GiB", "512 MiB", "0 B".
std::string format_size(std::uint64_t bytes);

// "90" (seconds), "90s", "15m", "1h30m", "2d", "HH:MM:SS", "MM:SS".
Result<Seconds> parse_duration(std::string_view text);
// "1h 30m", "45s", "2d 3h".
std::string format_duration(Microseconds duration);

// "2026-01-01T08:00:00Z", "2026-01-01 08:00" (local), "08:00" (the next one), "tomorrow 8:00",
// "mon 9:00", "+2h", "now". `utc_offset` is that of local time at `now`.
Result<Wall> parse_time(std::string_view text, Wall now, Seconds utc_offset);
// RFC 3339 in UTC with milliseconds: "2026-01-01T08:00:00.000Z"; reads the same form back.
std::string format_time(Wall time);
Result<Wall> parse_rfc3339(std::string_view text);

// The pieces between separators, empty ones too: of an empty text there is one.
std::vector<std::string_view> split(std::string_view text, char separator);
// Those of them that are not empty.
std::vector<std::string_view> split_nonempty(std::string_view text, char separator);
// The part before the first separator, which is taken off `rest` with it; all if there is none.
std::string_view take_until(std::string_view& rest, char separator);
// Letters of ASCII alone: others stay as they are.
std::string lower_case(std::string_view text);
// Without white space around it.
std::string_view trimmed(std::string_view text);

// Takes the whole lines off the front of what has come so far; what is left has no end yet.
template <class Take>
void take_lines(std::string& text, Take take) {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take(std::string_view(text).substr(begin, end - begin));
  }
  text.erase(0, begin);
}

// At most so many bytes of it and no half of a character; "…" at the end if something is missing.
std::string clipped(const std::string& text, std::size_t most);

// True if the bytes are well-formed UTF-8.
bool is_utf8(std::string_view bytes);

// Damerau-Levenshtein nearest of `candidates` within two edits, or empty: "did you mean …?".
std::string nearest_word(std::string_view word, const std::string_view* candidates, std::size_t n);

}  // namespace gpusched
