// Checks of the kernel and its interfaces.
#pragma once

#include <optional>
#include <string>

#include "cli/doctor/finding.h"

namespace gpusched::cli {

Finding check_kernel();
Finding check_pidfd();
Finding check_cgroups();
// Where this process stands in the v2 hierarchy, in the file system; nothing if there is none.
std::optional<std::string> own_cgroup_directory();

}  // namespace gpusched::cli
