// From how attempts end to what is believed of the next ones, and from that to what a waiting job
// asks of a card.
#pragma once

#include <optional>

#include "core/state/estimates.h"
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
std::uint64_t hold_after_oom(const State& state, const Grant& grant);

// True: past runs decide what the job holds.
bool counts_history(const Job& job, const EstimateRules& rules);
// The job's needs with what is believed about it.
Needs needs_now(const State& state, const Job& job);
// What a card must offer for a shape that past runs decide about, to be shared: certain for those
// that it rules out. REQUIRES: shape.signature.
CardAsk card_ask_now(const State& state, const ShapeKey& shape);
// Its estimate on the cards it has, or on the first card that it could have, by the nearest level
// at which something is known.
std::optional<Estimate> estimate_of(const State& state, const Job& job);

}  // namespace gpusched
