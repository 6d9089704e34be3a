// A look at a process that somebody else started.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "core/model/adopted.h"

namespace gpusched {

// The error is for people: there is no such process, or it cannot be looked at.
Result<RunningProcess> look_at_process(pid_t pid);

}  // namespace gpusched
