// What owners are told of their jobs (`--notify`), made at one place: from the trail of a turn, in
// the turn itself, so that a message is in the commit of what it tells of. The jobs of a sweep are
// told of together. Of an attempt that begins and ends in one turn its end alone is told; whoever
// has seen it running hears of its start, also where the commit of that has waited.
#pragma once

#include <vector>

#include "core/notify/tell.h"
#include "core/state/state.h"

namespace gpusched {

// What is not told stands in the trail of its job, and is returned.
// REQUIRES: called once for each turn, behind all that changes jobs in it.
std::vector<Untold> tell_of_jobs(State& state, Now now);

}  // namespace gpusched
