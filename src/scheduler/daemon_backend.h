// The scheduler of the daemon: leases over its API. The holder of each is this process, which the
// daemon watches, so that nothing outlives it; the daemon's restarts are errors meanwhile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scheduler/backend.h"

namespace gpusched::library {

// Where a client looks for the daemon.
std::vector<std::string> daemon_sockets(const std::string& named);
bool daemon_runs(const std::vector<std::string>& sockets);

std::unique_ptr<Backend> open_daemon(const std::vector<std::string>& sockets,
                                     std::string application);

}  // namespace gpusched::library
