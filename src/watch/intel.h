// The backend on the files of Intel's drivers, i915 and xe. Neither shows how busy a card is; the
// time that its graphics part was not in its idle state comes nearest, and is an upper bound.
#pragma once

#include "watch/backend.h"
#include "watch/host.h"

namespace gpusched::watch {

Probed probe_intel(const Host& host);

}  // namespace gpusched::watch
