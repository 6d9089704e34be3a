// What looks at a card change about the jobs that run there: one of which nothing was known gives
// up the rest of its card once its memory has settled, soon where another of its program waits;
// what it shows of its program is noted; and what a job has used so far is written
// down now and then, for the case that the daemon is started again.
#pragma once

#include "core/state/state.h"

namespace gpusched {

void take_seen_use(State& state, CardNumber card, Now now);

}  // namespace gpusched
