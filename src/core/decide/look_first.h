// Look before starting: whatever puts memory on a card is decided on a look at that card which is
// at most a second old, or which was taken because of it. Cards that nobody looks at (a simulation,
// a replay) are never waited for, and neither are those that do not answer: they are not usable.
#pragma once

#include <vector>

#include "core/model/job.h"
#include "core/state/state.h"

namespace gpusched {

// Every card of the grant has been looked at in time.
bool has_been_looked_at(const StateView& state, const Grant& grant, Now now);
// Of the others, those at which somebody has to look now; the rest is on its way.
std::vector<CardNumber> ask_for_looks(State& state, const Grant& grant, Now now);

}  // namespace gpusched
