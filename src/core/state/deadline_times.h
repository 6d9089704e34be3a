// The times that follow from a job's deadline: by when it must start to be over in time, and from
// when on it comes first in its band because of that. Worked out from values; nothing is kept.
#pragma once

#include <optional>

#include "core/state/estimates.h"

namespace gpusched {

struct DeadlineTimes {
  Wall raised_at{};     // From here on it comes first in its band.
  Wall latest_start{};  // Started by here it is over in time.
  Wall deadline{};      // From here on hurrying helps nobody: its usual place again.
  bool presses(Wall now) const { return raised_at <= now && now < deadline; }
  // The first of them that is still to come.
  std::optional<Wall> next_after(Wall now) const;
};
// REQUIRES: job.spec->rare->deadline, and the job waits.
DeadlineTimes deadline_times(const Estimates& estimates, Microseconds slack, const Job& job);

// How long a waiting job will run: as it is expected to, at most to its limit. None: nobody knows.
std::optional<Microseconds> known_run_of(const Estimates& estimates, const Job& job);
// The same for the order of the queue, which needs a number: an hour where nobody knows. Never to
// be told to people.
Microseconds run_ahead_of(const Estimates& estimates, const Job& job);

}  // namespace gpusched
