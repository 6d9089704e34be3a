// Whom a job would slow down on a card (state/slow_pairs.h).
#pragma once

#include <cstddef>

#include "core/admit/tentative.h"
#include "core/state/state_view.h"

namespace gpusched {

// How many jobs on the card, those of this turn included, the job would slow down with.
int slow_neighbours(const StateView& state, const Tentative& free, const Job& job,
                    std::size_t card_index);

}  // namespace gpusched
