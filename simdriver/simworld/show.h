// A world in words and as JSON.
#pragma once

#include <string>

#include "simdriver/world.h"

namespace gpusched::simdriver {

std::string show_world(const World& world);
// {"schema":1,"scenario":…,"driver":…,"cards":[…]}: for tests and scripts.
std::string world_json(const World& world);

}  // namespace gpusched::simdriver
