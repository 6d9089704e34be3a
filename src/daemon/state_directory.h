// The daemon's own directory: made with the right modes, locked so that two daemons can never
// share it.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched {

// Held as long as these live; it lets go by itself when the process dies. The file says who has it;
// the directory itself is locked, too, because a file can be deleted.
struct StateLock {
  Fd file;
  Fd directory;
};
// Creates it (0711, parents too) if it is not there and takes its lock.
Result<StateLock> take_state_directory(const std::string& path);

}  // namespace gpusched
