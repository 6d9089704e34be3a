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

// What servers.yaml says of a name: "box: ssh://ml1@box.lab" is a line of it, and so is
// "box: {server: https://box.lab, token_file: /home/ml1/box.token}".
struct NamedServer {
  std::string address;
  std::string token = {};
  std::string token_file = {};
};
Result<NamedServer> named_server(const std::string& name, const EnvironmentLookup& env);

}  // namespace gpusched::cli
