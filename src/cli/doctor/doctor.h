// What this machine can do for gpusched, what a shortcoming costs, and how to fix it. Each check
// is one function from the machine to a Finding; none needs a daemon, none changes anything, and
// none waits longer than a deadline: kernel.h, machine.h, cards.h, host.h.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/finding.h"
#include "cli/render/render.h"
#include "client/client.h"

namespace gpusched::cli {

std::vector<Finding> examine(const Client& client);
std::string render_findings(const std::vector<Finding>& findings, const Page& page);
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace gpusched::cli
