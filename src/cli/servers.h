// Which daemon is meant: flags, variables, and names from servers.yaml.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/flags.h"
#include "client/server.h"
#include "os/locations.h"

namespace gpusched::cli {

// --socket, else --server, else GPUSCHED_SOCKET, else GPUSCHED_SERVER, else the daemons here. A
// name is looked up in servers.yaml.
Result<Server> server_of(const Arguments& arguments);
Result<Server> choose_server(const Arguments& arguments, const EnvironmentLookup& env);

// The address of a name: "box: ssh://ml1@box.lab" is a line of servers.yaml.
Result<std::string> named_server(const std::string& name, const EnvironmentLookup& env);

}  // namespace gpusched::cli
