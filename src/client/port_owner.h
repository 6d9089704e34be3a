// Whose program listens on a port of this machine. Any user may hold a port that a daemon has left,
// and would be told the token of whoever asks there.
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/tcp_address.h"

namespace gpusched {

// The users who listen there, by the text of /proc/net/tcp or tcp6. Lines that it does not know
// are passed over.
std::vector<uid_t> listeners_in(std::string_view table, const TcpAddress& address);

// An error: not only root and this user listen there. `connected`: somebody does, so that it is an
// error, too, if it cannot be found out.
Result<void> check_port_owner(const TcpAddress& address, bool connected);

}  // namespace gpusched
