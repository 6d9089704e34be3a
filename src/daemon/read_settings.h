// The settings of a daemon: the configuration file, with the command line on top. Read at the
// start, and again when somebody asks for it.
#pragma once

#include "config/config_file.h"
#include "daemon/options.h"

namespace gpusched {

Result<FoundConfig> read_settings(const DaemonOptions& options);

}  // namespace gpusched
