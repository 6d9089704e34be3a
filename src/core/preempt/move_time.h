// What moving a job takes on its cards, and what its moves teach about them. A job on several
// cards takes as long as on the slowest of them, and each of them learns from the whole. Only bytes
// that the measured calls are known to have copied teach anything.
#pragma once

#include "core/state/state.h"

namespace gpusched {

Microseconds time_out(const State& state, const Job& job, std::uint64_t bytes);
Microseconds time_back(const State& state, const Job& job, std::uint64_t bytes);
// When one that is on its way out should have left.
Wall gone_by(const State& state, const Job& job);

void learn_move_out(State& state, const Job& job, const MovedAside& report);
void learn_move_back(State& state, const Job& job, const BroughtBack& report);

}  // namespace gpusched
