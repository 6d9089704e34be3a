// What a process is called: from the world for those that exist there only, else from /proc.
#pragma once

#include <string>

#include "simdriver/world.h"

namespace gpusched::simdriver::nvml {

// Empty: there is no such process.
std::string name_of_process(const World& world, int pid);

}  // namespace gpusched::simdriver::nvml
