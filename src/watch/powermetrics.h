// The backend on `powermetrics`, for a Mac and root: use, clock and power of the GPU. It knows
// neither memory nor processes; those come from ioreg, which is there wherever this is.
#pragma once

#include "watch/backend.h"
#include "watch/host.h"
#include "watch/powermetrics_stream.h"

namespace gpusched::watch {

Probed probe_powermetrics(const Host& host, const PowermetricsTiming& timing = {});

}  // namespace gpusched::watch
