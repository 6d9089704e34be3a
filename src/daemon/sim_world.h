// `--sim`: a simulated driver instead of the machine's. The world lives in the state directory, and
// everything that asks a driver finds it there: the sampler and every job.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace gpusched {

struct SimWorld {
  std::string file;
  std::string libraries;  // Directory for LD_LIBRARY_PATH.
  // For a process that starts from our own environment.
  std::vector<std::string> variables() const;
};

// Makes the world, or finds the one of last time. Another `sim` than it was made from is refused.
Result<SimWorld> open_sim_world(const std::string& sim, const std::string& state_directory);

}  // namespace gpusched
