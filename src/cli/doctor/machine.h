// Checks of what is installed, of disks, and of the daemon.
#pragma once

#include <string>

#include "cli/doctor/finding.h"
#include "client/client.h"

namespace gpusched::cli {

Finding check_state_directory(const std::string& path);
Finding check_disk(const std::string& path);
Finding check_driver_library();
Finding check_nvidia_smi();
Finding check_units();
// The daemon, if there is one; `state_directory` becomes the one it uses.
Finding check_daemon(const Client& client, std::string& state_directory);

}  // namespace gpusched::cli
