// Which attempts run under MPS (model/mps.h).
#pragma once

#include "core/state/state_view.h"

namespace gpusched {

// Whether the attempt that begins with this grant is to run under MPS. A server is for one card, so
// a job on several cards never does; nor do leases and adopted processes, which are not ours to
// start.
bool runs_under_mps(const StateView& state, const Job& job, const Grant& grant);

}  // namespace gpusched
