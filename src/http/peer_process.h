// Which process is at the other end of a connection. Its number alone proves nothing: the process
// that connected may have ended, leaving the connection to a child, and its number may be another
// user's by now.
#pragma once

#include <cstdint>
#include <optional>

#include "http/types.h"
#include "os/fd.h"

namespace gpusched {

// From the kernel's record of who connected. Nullopt: the kernel says nothing.
std::optional<Peer> peer_of(int socket);
// A descriptor of that very process. Empty: it cannot be had.
Fd peer_process(int socket, const Peer& peer);

bool process_has_ended(const Fd& process);
// Field 22 of /proc/PID/stat: when it was started, in ticks since boot. Without it, errno says why.
std::optional<std::uint64_t> start_of_process(int pid);

}  // namespace gpusched
