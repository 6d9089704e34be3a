// A machine's own past as a trace: ended jobs, when they came, ran and ended, and the same as an
// outcome, to be compared with what a replay makes of it. The client reads them from the API
// (history.h), the daemon takes them from its jobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/job.h"
#include "replay/machine.h"
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

struct PastJob {
  TraceJob job;
  Wall submitted{}, started{}, ended{};
  std::vector<int> cards;  // Their numbers.
  double part = 1;         // Of each.
  int moves = 0;
  PastDetail detail = {};
};

// A job that shared its cards holds in the replay what it was given then, where it declared
// nothing. Cards go by their numbers: names may have been given to others since.
void settle(PastJob& past, const std::vector<CardGrant>& grants);
// Without its program. Nothing: it has not ended, or never ran.
std::optional<PastJob> past_job_of(const Job& job);
// Ordered by submission, then by number; times count from the first. REQUIRES: there is one.
Past past_of(std::vector<PastJob> jobs, const Machine& machine);

}  // namespace gpusched::replay
