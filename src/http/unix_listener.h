// Makes the Unix socket that the API listens on, or takes over the one systemd made.
// Rule: a socket file is only removed after a connect has shown that nobody listens on it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched {

// Binds and listens. `mode` is what the file gets before anybody can connect: 0666 for a daemon
// that serves all users (identity is judged per request), 0600 for a user's own.
Result<Fd> listen_on_unix(const std::string& path, mode_t mode);

// The first listening Unix stream socket among those passed by systemd (LISTEN_FDS), if any.
// Clears the variables, so that no child takes them for its own.
std::optional<Fd> inherited_listener();

// Removes the file if it still is the socket `listener` is bound to.
void remove_socket_file(const std::string& path, int listener);

}  // namespace gpusched
