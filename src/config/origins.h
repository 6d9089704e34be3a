// Where the value of each setting comes from, and what of the file waits for a restart.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config_file.h"

namespace gpusched {

enum class SettingFrom : std::uint8_t { kDefault, kFile, kCommandLine, kRunTime };
// default, file, command line, run time
const char* setting_from_name(SettingFrom from);

struct SettingOrigin {
  SettingFrom from = SettingFrom::kDefault;
  int line = 0;  // Of the file.
  friend bool operator==(const SettingOrigin&, const SettingOrigin&) = default;
};
// By name ("scheduling.sharing"); what is not in it has its default.
using SettingOrigins = std::map<std::string, SettingOrigin>;

// Of what was read just now.
SettingOrigins origins_of(const FoundConfig& found);
// After `found` was read again and `running` made of it: what waits for a restart still comes from
// where it came from before.
SettingOrigins origins_after(const SettingOrigins& before, const Config& running,
                             const FoundConfig& found);

struct ShownSetting {
  std::string name, value, standard;  // As they stand in a file.
  SettingOrigin origin;
  bool at_restart = false;  // What was read last waits for one.
  std::string waits;        // That value.
  std::string about;
};
// In the order of the file. Without `addresses` neither URLs nor commands of receivers are shown:
// people put secrets there.
std::vector<ShownSetting> shown_settings(const Config& running, const FoundConfig& found,
                                         const SettingOrigins& origins, bool addresses);

}  // namespace gpusched
