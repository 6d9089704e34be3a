// The backend on the amdgpu driver's files: sysfs for the card, hwmon for its sensors, fdinfo and
// KFD for its processes. No library of the maker is needed, and nothing is started.
#pragma once

#include "watch/backend.h"
#include "watch/host.h"

namespace gpusched::watch {

Probed probe_amdgpu(const Host& host);

}  // namespace gpusched::watch
