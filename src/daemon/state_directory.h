// The daemon's own directory: made with the right modes, locked so that two daemons can never
// share it.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace gpusched {

// Creates it (0711, parents too) if it is not there and takes its lock. The lock is held as long
// as the descriptor lives, and lets go by itself when the process dies.
Result<Fd> take_state_directory(const std::string& path);

}  // namespace gpusched
