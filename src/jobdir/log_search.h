// Looks for plain text in a job's log, line by line. A log of any length costs the same memory, and
// one search reads a bounded part of it. Holes are passed over; a line ends where one begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace gpusched {

// Of what is looked for.
inline constexpr std::size_t kLogTextMost = 256;
// Of a line, that is shown of it; and how far back its beginning is looked for.
inline constexpr std::size_t kLogLineShown = 1000;
inline constexpr std::size_t kLogLineBack = 64U << 10;

struct LogSearch {
  std::string text;          // 1 to kLogTextMost bytes, no line break.
  bool ignore_case = false;  // Of ASCII letters.
  std::uint64_t from = 0;    // Where a match may begin at the earliest.
  std::size_t matches_most = 100;
  std::uint64_t bytes_most = 64ULL << 20;  // Read at most so much.
};

// One for each line that has it; of a line that is longer than what is shown, one for each part.
struct LogMatch {
  std::uint64_t line_at = 0;   // Where the line begins; at most kLogLineBack before the match.
  std::uint64_t shown_at = 0;  // Where what is shown of it begins.
  std::string shown;           // Without its line break.
  std::uint64_t at = 0;        // Where the match begins.
};
struct LogFound {
  std::vector<LogMatch> matches;
  std::optional<std::uint64_t> next;  // Where to go on; absent: the end was reached.
  std::uint64_t size = 0;
};

// REQUIRES: `asked` keeps to its bounds.
Result<LogFound> search_log(int log, const LogSearch& asked);

}  // namespace gpusched
