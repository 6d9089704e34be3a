// A machine's own past as a trace: ended jobs as the API lists them, when they came, ran and ended,
// and the same as an outcome, to be compared with what a replay makes of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "replay/machine.h"
#include "replay/measures.h"
#include "replay/outcome.h"
#include "replay/trace.h"

namespace gpusched::replay {

// What a replay does not need, and a suggestion does.
struct PastDetail {
  std::string program;           // Without its arguments and its place; empty: not known.
  std::uint64_t vram_bytes = 0;  // As it was asked for; 0: not.
  bool share_asked = false;
  std::uint64_t peak_bytes = 0;  // On its fullest card; 0: not seen.
};

struct Past {
  Trace trace;                      // `line` is the job's id.
  std::vector<PastDetail> details;  // As in the trace.
  Outcome as_it_was;
  std::size_t left_out = 0;  // Ended jobs of that time that never ran.
};

// `jobs` is the answer to GET /v1/jobs?state=ended; those submitted from `since` on count. A job
// that shared its cards holds in the replay what it was given then.
Result<Past> read_past(std::string_view jobs, const Machine& machine, Wall since);

// "24G" or "MODEL:80G": one card more, of that memory.
Result<void> add_card(Machine& machine, const std::string& words);
// By its number.
Result<void> remove_card(Machine& machine, const std::string& number);

// Side by side: as it was, and as it would have been.
std::string compared(const Measures& was, const Measures& would);

}  // namespace gpusched::replay
