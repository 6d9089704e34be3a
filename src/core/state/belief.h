// What is believed of a waiting job, by past runs and by what runs: what it asks of a card.
#pragma once

#include <optional>

#include "core/state/estimates.h"
#include "core/state/state_view.h"

namespace gpusched {

// The model of the cards of a grant; empty: it has none, or they are gone.
std::string model_of(const StateView& state, const Grant& grant);
// True: past runs decide what the job holds.
bool counts_history(const Job& job, const EstimateRules& rules);
// The job's needs with what is believed about it.
Needs needs_now(const StateView& state, const Job& job);
// What a card must offer for a shape that past runs decide about, to be shared: certain for those
// that it rules out. REQUIRES: shape.signature.
CardAsk card_ask_now(const StateView& state, const ShapeKey& shape);
// Its estimate on the cards it has, or on the first card that it could have, by the nearest level
// at which something is known.
std::optional<Estimate> estimate_of(const StateView& state, const Job& job);

}  // namespace gpusched
