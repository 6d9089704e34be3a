// What this machine offers beside its cards.
#pragma once

#include "core/card.h"

namespace gpusched {

// CPUs this process may use, and all of the RAM.
HostCapacity read_host_capacity();

}  // namespace gpusched
