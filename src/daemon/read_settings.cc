#include "daemon/read_settings.h"

#include <unistd.h>

#include <filesystem>

#include "os/locations.h"
#include "os/log.h"

namespace gpusched {

Result<FoundConfig> read_settings(const DaemonOptions& options) {
  const EnvironmentLookup environment = process_environment();
  const bool root = ::geteuid() == 0;
  auto found = find_config(options.config, environment, root);
  if (!found) return failure(found.error());
  Config& config = found->config;
  const auto takes = [&found](const std::string& value, const char* name) {
    if (!value.empty()) found->by_command_line.insert(name);
    return !value.empty();
  };
  if (takes(options.sim, "sim")) config.sim = options.sim;
  if (takes(options.socket, "socket")) config.socket = options.socket;
  if (takes(options.state_directory, "state_directory"))
    config.state_directory = options.state_directory;
  if (takes(options.log_level, "log.level")) {
    const auto level = log_level_named(options.log_level);
    if (!level) {
      return failure(ErrorCode::kInvalid, "'" + options.log_level +
                                              "' is not a log level (error, warning, info, debug)");
    }
    config.log.level = *level;
  }
  if (config.state_directory.empty()) {
    config.state_directory = default_state_directory(environment, root);
  }
  config.state_directory = std::filesystem::absolute(config.state_directory).lexically_normal();
  if (config.state_directory.size() > 1 && config.state_directory.back() == '/') {
    config.state_directory.pop_back();
  }
  if (config.socket.empty()) {
    // A daemon with a state directory of its own answers there, so that two can run side by side.
    config.socket = options.state_directory.empty() ? default_socket(environment, root)
                                                    : config.state_directory + "/gpusched.sock";
  }
  return found;
}

}  // namespace gpusched
