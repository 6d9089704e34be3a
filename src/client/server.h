// Where a daemon is: sockets of this machine, another machine that the user's own ssh reaches, or
// an address of the network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/away.h"

namespace gpusched {

// Of a daemon on the network, where no other is named.
inline constexpr std::string_view kUsualPort = "7340";

struct Server {
  std::vector<std::string> sockets;  // Tried in order.
  std::string machine;               // "ml1@box", as ssh takes it; empty: this one.
  std::string port;                  // Of its sshd, where it is not as ssh knows it; of the daemon.
  std::string host = {};             // Of a daemon on the network; empty: it is not reached so.
  bool tls = false;                  // Always, but on loopback.

  // What is needed for the network.
  std::string token = {};          // A secret: in no message, and in no argument of a program.
  std::string tls_program = {};    // gpusched-tls.
  std::string known_servers = {};  // The file with the certificates that were seen before.
  std::string fingerprint = {};    // Of the one certificate that it may show; empty: any that is
                                   // vouched for or known.
  bool only_known = false;         // One that is new gets no word.
  bool insecure = false;           // Of plain HTTP: the token goes to whoever holds the port.
  Seconds patience = kAwayMost;    // How long it is tried again when it is away.

  bool elsewhere() const { return !machine.empty(); }
  bool on_network() const { return !host.empty(); }
  // What is said to it can get lost although it is well.
  bool far() const { return elsewhere() || on_network(); }
  std::string name() const;  // "box:7340", of one on the network.
};

// "ssh://[USER@]HOST[:PORT]", "https://HOST[:PORT]", "http://127.0.0.1[:PORT]",
// "unix:///run/x.sock" or "/run/x.sock".
Result<Server> parse_server(std::string_view text);
// True: it can stand in a header.
bool is_token(std::string_view text);

}  // namespace gpusched
