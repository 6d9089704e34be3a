// What a configuration file names of this machine: addresses, a certificate, users and groups. That
// the file itself is right was found out before.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace gpusched::cli {

struct ConfigFindings {
  std::vector<std::string> wrong;  // The daemon would not serve the network as it says.
  std::vector<std::string> notes;  // Worth knowing, or not to be found out by this user.
};

ConfigFindings look_for_what_it_names(const Config& config);

}  // namespace gpusched::cli
