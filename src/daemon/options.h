// The daemon's command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace gpusched {

struct DaemonOptions {
  std::string config;
  std::string state_directory;
  std::string socket;
  std::string sim;
  std::string log_level;
  bool show_help = false;
  bool show_version = false;
};

Result<DaemonOptions> parse_daemon_options(const std::vector<std::string>& arguments);
std::string daemon_help();

}  // namespace gpusched
