// What tools change in a world while it is used: processes that exist there only, and the driver.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "simdriver/scenario.h"
#include "simdriver/world.h"

namespace gpusched::simdriver {

// REQUIRES: a ChangeLock for all of these.
// A pid that has an entry on that card already is changed, not added twice. Pid 0: one is chosen.
Result<int> add_foreign(const World& world, const ScenarioProcess& process);
Result<void> remove_foreign(const World& world, int pid);

// Keeps the number that decides which functions exist in step with the words.
void set_driver_version(WorldData& data, std::string_view version);

}  // namespace gpusched::simdriver
