// What moving a job takes on its cards. A job on several cards takes as long as on the slowest of
// them.
#pragma once

#include "core/state/state_view.h"

namespace gpusched {

Microseconds time_out(const StateView& state, const Job& job, std::uint64_t bytes);
Microseconds time_back(const StateView& state, const Job& job, std::uint64_t bytes);
// When one that is on its way out should have left.
Wall gone_by(const StateView& state, const Job& job);

}  // namespace gpusched
