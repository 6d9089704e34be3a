// The backend on the program nvidia-smi, for machines where the driver's library cannot be loaded
// but its tool is there. One run serves all cards for a moment, so that eight cards do not cost
// eight starts; a run that hangs is ended, and the next one waits a while.
#pragma once

#include "watch/backend.h"
#include "watch/host.h"

namespace gpusched::watch {

Probed probe_nvidia_smi(const Host& host);

}  // namespace gpusched::watch
