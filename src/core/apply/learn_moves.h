// What moves teach about cards (preempt/move_time.h): each card of a job learns from the whole.
// Only bytes that the measured calls are known to have copied teach anything.
#pragma once

#include "core/model/move.h"
#include "core/state/state.h"

namespace gpusched {

void learn_move_out(State& state, const Job& job, const MovedAside& report);
void learn_move_back(State& state, const Job& job, const BroughtBack& report);

}  // namespace gpusched
