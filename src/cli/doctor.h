// What this machine can do for gpusched, what a shortcoming costs, and how to fix it. Each check
// is one function from the machine to a Finding; none needs a daemon, none changes anything, and
// none waits longer than a deadline. What the cards and the host offer: doctor_cards.h,
// doctor_host.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/client.h"
#include "cli/finding.h"
#include "cli/render.h"

namespace gpusched::cli {

// Checks of the kernel and its interfaces (doctor_kernel.cc).
Finding check_kernel();
Finding check_pidfd();
Finding check_cgroups();
// Where this process stands in the v2 hierarchy, in the file system; nothing if there is none.
std::optional<std::string> own_cgroup_directory();
// Checks of what is installed, of disks and of cards (doctor_machine.cc).
Finding check_state_directory(const std::string& path);
Finding check_disk(const std::string& path);
Finding check_driver_library();
Finding check_nvidia_smi();
Finding check_units();
// The daemon, if there is one; `state_directory` becomes the one it uses.
Finding check_daemon(const Client& client, std::string& state_directory);

std::vector<Finding> examine(const Client& client);
std::string render_findings(const std::vector<Finding>& findings, const Page& page);
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace gpusched::cli
