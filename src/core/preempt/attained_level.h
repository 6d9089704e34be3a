// How much of the cards a job has had so far, where jobs of one band take turns.
#pragma once

#include "core/state/state_view.h"

namespace gpusched {

// How much of the cards it has had so far; see core/policy/timeshare.h. 0 without that rule.
int attained_level(const StateView& state, const Job& job, Now now);

}  // namespace gpusched
