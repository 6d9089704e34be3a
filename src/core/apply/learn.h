// From how attempts end to what is believed of the next ones (state/belief.h).
#pragma once

#include "core/state/state.h"

namespace gpusched {

// Remembers how the attempt went. REQUIRES: the job is active, `ended` is how its attempt ended.
void learn(State& state, const Job& job, const Ended& ended, Now now);
// The driver's own account of a process that has ended: a lower bound of its attempt's peak, also
// when it comes after the attempt's end.
void learn_peak(State& state, AttemptId attempt, std::uint64_t peak_vram_bytes);

// The driver will not move this program's memory to host RAM.
void learn_refusal(State& state, const Job& job, Now now);

// What the attempt after an out-of-memory failure holds at least on each card.
std::uint64_t hold_after_oom(const StateView& state, const Grant& grant);

}  // namespace gpusched
