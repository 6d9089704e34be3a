// What moving a job takes on its cards, and what its moves teach about them. A job on several
// cards is moved one process after the other: it takes as long as on the slowest of them, and
// each of them learns from the whole.
#pragma once

#include "core/state.h"

namespace gpusched {

Microseconds time_out(const State& state, const Job& job, std::uint64_t bytes);
Microseconds time_back(const State& state, const Job& job, std::uint64_t bytes);
// When one that is on its way out should have left.
Wall gone_by(const State& state, const Job& job);

void learn_move_out(State& state, const Job& job, const MovedAside& report);
// `bytes`: what it had in host RAM.
void learn_move_back(State& state, const Job& job, const BroughtBack& report, std::uint64_t bytes);

}  // namespace gpusched
