// Where things are by default: sockets, state directories, configuration files. Pure functions of
// the environment, so that client and daemon can never disagree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpusched {

using EnvironmentLookup = std::function<std::optional<std::string>(const char* name)>;
EnvironmentLookup process_environment();

// A user's own daemon (uid != 0), or the system's.
std::string default_state_directory(const EnvironmentLookup& env, bool root);
// $XDG_RUNTIME_DIR/gpusched/gpusched.sock, else STATE/gpusched.sock; root:
// /run/gpusched/gpusched.sock.
std::string default_socket(const EnvironmentLookup& env, bool root);
// Where a client looks, in order: GPUSCHED_SOCKET alone if set; else the user's, then the system's.
std::vector<std::string> client_sockets(const EnvironmentLookup& env);
// $XDG_CONFIG_HOME/gpusched/gpusched.yaml, /etc/gpusched/gpusched.yaml; the first that exists
// counts.
std::vector<std::string> config_files(const EnvironmentLookup& env, bool root);

}  // namespace gpusched
