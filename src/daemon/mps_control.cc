#include "daemon/mps_control.h"

#include <unistd.h>

#include <algorithm>

namespace gpusched {

std::string find_mps_control(const MpsSettings& settings, const std::optional<SimWorld>& sim) {
  const auto there = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (!settings.control.empty()) return there(settings.control) ? settings.control : "";
  const std::string name = "/nvidia-cuda-mps-control";
  if (sim) return there(sim->libraries + name) ? sim->libraries + name : "";
  for (const char* directory : {"/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin",
                                "/bin", "/run/current-system/sw/bin"}) {
    if (there(directory + name)) return directory + name;
  }
  return {};
}

bool wants_mps(const Config& config) {
  return config.rules.mps != MpsUse::kOff ||
         std::ranges::any_of(config.card_rules, [](const CardRule& rule) {
           return rule.mps.value_or(MpsUse::kOff) != MpsUse::kOff;
         });
}

}  // namespace gpusched
