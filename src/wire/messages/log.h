// Answers about what jobs wrote.
#pragma once

#include "wire/message.h"

namespace gpusched::wire {

struct LogMatch {
  std::uint64_t offset = 0;
  std::string line;
  std::uint64_t line_offset = 0;
  std::uint64_t at = 0;

  static constexpr std::string_view kName = "LogMatch";
  static constexpr auto fields() {
    using Self = LogMatch;
    return std::make_tuple(
        field("offset", &Self::offset, {.what = "the byte at which the line begins"}),
        field("line", &Self::line, {.what = "at most 1,000 bytes of it, around the match"}),
        field("line_offset", &Self::line_offset, {.what = "the byte at which that part begins"}),
        field("at", &Self::at, {.what = "the byte at which the match begins"}));
  }
};
struct LogMatches {
  int schema = 1;
  std::uint64_t job = 0;
  int attempt = 0;
  std::uint64_t size = 0;
  std::vector<LogMatch> matches;
  std::optional<std::uint64_t> next;

  static constexpr std::string_view kName = "LogMatches";
  static constexpr auto fields() {
    using Self = LogMatches;
    return std::make_tuple(
        field("schema", &Self::schema), field("job", &Self::job), field("attempt", &Self::attempt),
        field("size", &Self::size, {.what = "of the log, in bytes"}),
        field("matches", &Self::matches),
        field("next", &Self::next, {.what = "where to go on; null: the end was reached"}));
  }
};

}  // namespace gpusched::wire
