// The machine of a simulation, from the words of the command line.
#pragma once

#include <string>

#include "base/result.h"
#include "sim/workload.h"

namespace gpusched {

// Cards as in engine/card_description.h; CPUs as a number; RAM as a size.
Result<MachineDescription> describe_machine(const std::string& cards, const std::string& cpus,
                                            const std::string& ram);

}  // namespace gpusched
