// What a running daemon takes over from a file that was changed. Pure: which settings differ, and
// which of them wait for a restart.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace gpusched {

struct SettingChange {
  std::string setting;   // "scheduling.sharing".
  std::string from, to;  // As they stand in the file.
  bool at_restart = false;
};

// `running` with all of `wanted` that can change without a restart.
Config with_live_settings(const Config& running, const Config& wanted);
// In the order of the file.
std::vector<SettingChange> changes_between(const Config& running, const Config& wanted);

}  // namespace gpusched
