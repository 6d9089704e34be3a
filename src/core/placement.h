// Where a job goes: the cards and host resources it would get now, or nothing.
#pragma once

#include <optional>

#include "core/reservation.h"
#include "core/state.h"
#include "core/tentative.h"

namespace gpusched {

// Packs: among the cards that fit, the fullest first, which leaves large holes for large jobs.
// With a reservation, cards it needs are taken only where its own need still fits beside the job.
std::optional<Grant> place(const State& state, const Tentative& free, const Job& job,
                           const Reservation* reservation, Now now);

// Cards that match the constraints and have room now.
std::vector<std::size_t> fitting_cards(const State& state, const Tentative& free,
                                       const Needs& needs);

}  // namespace gpusched
