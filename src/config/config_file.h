// The configuration file: found, read, written.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "os/locations.h"

namespace gpusched {

// Where each setting of a file stands, by name ("scheduling.sharing").
using SettingLines = std::map<std::string, int>;

// `name` stands in messages, which begin with name:line:column.
Result<Config> parse_config(const std::string& text, const std::string& name,
                            SettingLines* lines = nullptr);
Result<Config> load_config(const std::string& path, SettingLines* lines = nullptr);

// The file that counts: `given` if not empty, else the first standard one that exists, else none
// (`path` is empty then, and all settings have their defaults).
struct FoundConfig {
  std::string path;
  Config config;
  SettingLines lines = {};
  std::set<std::string> by_command_line = {};  // Settings that stood there, by name.
};
Result<FoundConfig> find_config(const std::string& given, const EnvironmentLookup& env, bool root);

// The commented sample: every setting with its default, each one commented out.
std::string default_config_text();
// The settings in force, as a file that says the same.
std::string config_text(const Config& config);

}  // namespace gpusched
