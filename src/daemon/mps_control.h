// Where the program is that starts MPS servers.
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "daemon/sim_world.h"

namespace gpusched {

// The one that is set, the simulated driver's, or the first that is found where programs usually
// are. Empty: there is none.
std::string find_mps_control(const MpsSettings& settings, const std::optional<SimWorld>& sim);

// Some card, or every card, is to be used through MPS.
bool wants_mps(const Config& config);

}  // namespace gpusched
