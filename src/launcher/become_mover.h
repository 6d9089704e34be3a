// In a child of the launcher: becomes gpusched-mover, in a session of its own, so that neither the
// launcher's end nor the daemon's interrupts a move.
#pragma once

#include "jobdir/launch_protocol.h"

namespace gpusched {

[[noreturn]] void become_mover(const MoveRequest& request, int report_fd);

}  // namespace gpusched
