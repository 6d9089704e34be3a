// The launcher's life: take a request, fork, hand the pidfd over, again. Whatever may block (a
// tree that does not die, a directory to be removed) happens in a process of its own.
#pragma once

#include "launcher/shim.h"

namespace gpusched {

// Returns when the daemon is gone; unread requests are dropped, because whoever sent them can no
// longer know that they were obeyed.
void serve_requests(const ShimSettings& settings, int lock_fd);

}  // namespace gpusched
