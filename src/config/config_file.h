// The configuration file: found, read, written.
#pragma once

#include <string>

#include "base/result.h"
#include "config/config.h"
#include "os/locations.h"

namespace gpusched {

// `name` stands in messages, which begin with name:line:column.
Result<Config> parse_config(const std::string& text, const std::string& name);
Result<Config> load_config(const std::string& path);

// The file that counts: `given` if not empty, else the first standard one that exists, else none
// (`path` is empty then, and all settings have their defaults).
struct FoundConfig {
  std::string path;
  Config config;
};
Result<FoundConfig> find_config(const std::string& given, const EnvironmentLookup& env, bool root);

// The commented sample: every setting with its default, each one commented out.
std::string default_config_text();
// The settings in force, as a file that says the same.
std::string config_text(const Config& config);

}  // namespace gpusched
