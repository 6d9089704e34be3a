// The thread inside each CUDA process that locks, checkpoints, restores and unlocks it when
// another process asks. It is a thread of the target on purpose: a stopped or frozen process does
// not answer, exactly as with the real driver.
#pragma once

#include <memory>

#include "simdriver/cuda/process.h"

namespace gpusched::simdriver::cuda {

// False: this process may not have another thread.
bool start_restore_thread(const std::shared_ptr<Process>& process);

}  // namespace gpusched::simdriver::cuda
