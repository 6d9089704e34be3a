// Whether a job's deadline can still be met.
#pragma once

#include <optional>
#include <string>

#include "core/state/deadline_times.h"
#include "core/state/state_view.h"

namespace gpusched {

// The same as in state/deadline_times.h, by the estimates and rules of a state.
DeadlineTimes deadline_times(const StateView& state, const Job& job);

// When an eligible job could start if nobody else waited. None: nobody knows.
std::optional<Wall> earliest_start(const StateView& state, const Job& job, Now now);

// From its limit or from past runs.
bool run_is_known(const StateView& state, const Job& job);

// Why its deadline cannot be met, or why nobody knows, for people; empty: nothing speaks against
// it, or it has none.
// `start` is when a waiting job should start, if that is known.
std::string deadline_warning(const StateView& state, const Job& job, std::optional<Wall> start,
                             Now now);

}  // namespace gpusched
