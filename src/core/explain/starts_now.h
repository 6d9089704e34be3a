// What would help: smaller wishes with which a waiting job would start at once, found by asking
// place() with them. Nothing is said that is not so.
#pragma once

#include <vector>

#include "core/backfill/backfill.h"
#include "core/model/reason.h"
#include "core/state/state_view.h"

namespace gpusched {

// REQUIRES: the job is pending. `reservation` is another job's, or null.
std::vector<Help> what_starts_it(const StateView& state, const Job& job,
                                 const ReservedStart* reserved, const Tentative& left, Now now);

}  // namespace gpusched
