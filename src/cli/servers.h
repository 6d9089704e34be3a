// Which daemon is meant: flags, variables, and names from servers.yaml.
#pragma once

#include <span>
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

// How many words at the beginning say which daemon is meant: 2 of `--server box status`.
std::size_t leading_flags(std::span<const std::string> words);
// --server or --socket among words that are not finished yet, for completion.
Arguments daemon_named_in(std::span<const std::string> words);

// What servers.yaml says of a name: "box: ssh://ml1@box.lab" is a line of it, and so is
// "box: {server: https://box.lab, token_file: /home/ml1/box.token}".
struct NamedServer {
  std::string address;
  std::string token = {};
  std::string token_file = {};
  std::string fingerprint = {};  // Of the only certificate that it may show.
  bool insecure = false;         // Of plain HTTP: whoever holds the port gets the token.
};
Result<NamedServer> named_server(const std::string& name, const EnvironmentLookup& env);

}  // namespace gpusched::cli
