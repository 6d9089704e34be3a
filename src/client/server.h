// Where a daemon is: sockets of this machine, or another machine that the user's own ssh reaches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpusched {

struct Server {
  std::vector<std::string> sockets;  // Tried in order.
  std::string machine;               // "ml1@box", as ssh takes it; empty: this one.
  std::string port;                  // Of its sshd; empty: as ssh knows it.

  bool elsewhere() const { return !machine.empty(); }
};

// "ssh://[USER@]HOST[:PORT]", "unix:///run/x.sock" or "/run/x.sock".
Result<Server> parse_server(std::string_view text);

}  // namespace gpusched
