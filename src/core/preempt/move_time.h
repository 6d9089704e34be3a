// When a job may be moved, and how long that takes on its cards. A job on several cards takes as
// long as on the slowest of them.
#pragma once

#include "core/state/state_view.h"

namespace gpusched {

// A move that failed is not tried again for so long.
inline constexpr Microseconds kTryAgainAfter = Seconds{10};

// When it has been on its cards for long enough to be moved.
Wall movable_from(const StateView& state, const Running& running, Now now);
// Its last move failed less than so long ago.
bool move_failed_lately(const Job& job, Microseconds lately, Now now);
// On its cards, for long enough and not moved too often.
bool may_move_again(const StateView& state, const Job& job, Now now);

Microseconds time_out(const StateView& state, const Job& job, std::uint64_t bytes);
Microseconds time_back(const StateView& state, const Job& job, std::uint64_t bytes);
// When one that is on its way out should have left.
Wall gone_by(const StateView& state, const Job& job);

}  // namespace gpusched
