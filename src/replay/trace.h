// A trace: jobs as somebody's cluster saw them, read from one of several formats. Times count from
// the trace's own beginning of time, in microseconds; docs/simulate.md maps the columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/needs.h"

namespace gpusched::replay {

struct TraceJob {
  std::size_t line = 0;  // In the file, for messages.
  Microseconds submit{0};
  Microseconds duration{0};  // Its work: time on its cards if nothing disturbs it.
  Needs needs;
  int priority = 50;
  Microseconds time_limit{0};  // 0: none declared.
  std::string tenant = "user";
  std::string model = {};  // Of the network it trains; for the cost of stopping it.
  int cards() const { return needs.gpus.least; }
};

// Sorted by submission; who came at the same instant stays in the order of the file.
using Trace = std::vector<TraceJob>;

// What of a trace is replayed.
struct Selection {
  std::string tenant;        // Empty: all.
  std::optional<Wall> from;  // Formats with dates only.
  std::optional<Wall> to;    // Included.
  std::optional<int> cards_most;
};

// Every reader's errors begin with "line N: ".
Result<Trace> read_native(std::string_view text);
// CRLF or LF, milliseconds. `as_published`: work is iterations x iteration_time x 1.015, else the
// column `duration`.
Result<Trace> read_muri(std::string_view text, bool as_published);
Result<Trace> read_tiresias(std::string_view text);
Result<Trace> read_philly(std::string_view text, const Selection& selection);

// Keeps what is selected; an error if nothing is left.
Result<Trace> select(Trace trace, const Selection& selection);

// "2017-10-01", "2017-10-01 06:30:00", also with T between. A date alone is its first second, or,
// as `last`, its last.
Result<Wall> parse_trace_date(std::string_view text, bool last);

}  // namespace gpusched::replay
