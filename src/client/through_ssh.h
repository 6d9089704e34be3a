// A way to the daemon of another machine: the user's own ssh runs `gpusched relay` there. Nothing
// has to be opened on that machine, and its kernel says whose the requests are.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/carrier.h"
#include "client/server.h"

namespace gpusched {

// How `gpusched WORDS…` is started on the machine of `server`. `terminal`: it gets one.
// REQUIRES: server.elsewhere().
std::vector<std::string> ssh_command(const Server& server, const std::vector<std::string>& words,
                                     bool terminal);

// The line with which a relay begins: JSON, with what a job would inherit there.
inline constexpr std::string_view kRelayGreeting = "{\"gpusched_relay\":1,";

struct Relayed {
  Carrier carrier;
  std::string greeting;  // That line.
};
// REQUIRES: server.elsewhere().
Result<Relayed> connect_through_ssh(const Server& server);

}  // namespace gpusched
