// Making a world from a scenario, for the tools and the daemon.
#pragma once

#include <string>

#include "base/result.h"
#include "simdriver/scenario.h"
#include "simdriver/world.h"

namespace gpusched::simdriver {

// Fails if the file is there already. Every user may use the world, as every user may use a card.
Result<World> create_world(const std::string& path, const Scenario& scenario);

// The world at `path`, made if it is not there. One that was made from another scenario, or from
// another version of this one, is refused: its UUIDs and sizes would not be those asked for.
Result<World> open_or_create_world(const std::string& path, const Scenario& scenario);

}  // namespace gpusched::simdriver
