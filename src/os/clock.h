// The machine's clocks. The only place that reads one: everything else is told what time it is,
// which is what makes the core, the engine and the simulator repeatable.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gpusched {

// CLOCK_REALTIME and CLOCK_BOOTTIME, read together.
Now read_clock();

// Between two looks at something that tells nobody when it changes. Every such look has a deadline
// or a number of tries; a signal may end the pause early.
void pause_for(std::chrono::milliseconds time);

// Distinguishes this boot of the machine from every other.
Result<std::string> read_boot_id();

// Local time minus UTC at `at`, by the process's time zone.
Seconds utc_offset_at(Wall at);

}  // namespace gpusched
