#include "daemon/sim_world.h"

#include <cstdlib>

#include "simdriver/places.h"
#include "simdriver/world_create.h"

namespace gpusched {

std::vector<std::string> SimWorld::variables() const {
  const char* others = std::getenv("LD_LIBRARY_PATH");
  const bool any = others != nullptr && *others != '\0';
  return {std::string(simdriver::kWorldVariable) + "=" + file,
          "LD_LIBRARY_PATH=" + libraries + (any ? std::string(":") + others : "")};
}

Result<SimWorld> open_sim_world(const std::string& sim, const std::string& state_directory) {
  SimWorld world{state_directory + "/sim-world", simdriver::library_directory()};
  if (world.libraries.empty()) {
    return failure(ErrorCode::kUnavailable,
                   "use simulated cards: the simulated driver's libraries are not installed");
  }
  const auto scenario = simdriver::find_scenario(sim, simdriver::scenario_directory());
  if (!scenario) return failure(scenario.error());
  const auto opened = simdriver::open_or_create_world(world.file, *scenario);
  if (!opened) return failure(opened.error());
  return world;
}

}  // namespace gpusched
