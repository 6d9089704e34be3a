// The machine's clocks. The only place that reads one: everything else is told what time it is,
// which is what makes the core, the engine and the simulator repeatable.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gpusched {

// CLOCK_REALTIME and CLOCK_BOOTTIME, read together.
Now read_clock();

// Distinguishes this boot of the machine from every other.
Result<std::string> read_boot_id();

// Local time minus UTC at `at`, by the process's time zone.
Seconds utc_offset_at(Wall at);

}  // namespace gpusched
