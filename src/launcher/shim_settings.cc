#include "launcher/shim_settings.h"

namespace gpusched {

std::string leaf_path_of(const ShimSettings& settings, AttemptId attempt) {
  return settings.cgroup_base + "/jobs/" + to_string(attempt);
}

}  // namespace gpusched
