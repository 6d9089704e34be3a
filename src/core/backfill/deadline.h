// A job's deadline: by when it must start to be over in time, from when on it comes first in its
// band because of that, and whether it can still be met. Worked out from values; nothing is kept.
#pragma once

#include <optional>
#include <string>

#include "core/state/state.h"

namespace gpusched {

struct DeadlineTimes {
  Wall raised_at{};     // From here on it comes first in its band.
  Wall latest_start{};  // Started by here it is over in time.
  Wall deadline{};      // From here on hurrying helps nobody: its usual place again.
  bool presses(Wall now) const { return raised_at <= now && now < deadline; }
  // The first of them that is still to come.
  std::optional<Wall> next_after(Wall now) const;
};
// REQUIRES: job.spec->rare->deadline.
DeadlineTimes deadline_times(const State& state, const Job& job);

// When an eligible job could start if nobody else waited. None: nobody knows.
std::optional<Wall> earliest_start(const State& state, const Job& job, Now now);

// Why its deadline cannot be met, for people; empty: nothing speaks against it, or it has none.
// `start` is when a waiting job should start, if that is known.
std::string deadline_warning(const State& state, const Job& job, std::optional<Wall> start,
                             Now now);

}  // namespace gpusched
