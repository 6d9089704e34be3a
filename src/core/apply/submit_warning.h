// What somebody should know of a job that is accepted all the same.
#pragma once

#include <string>

#include "core/state/state_view.h"

namespace gpusched {

// Empty: nothing. Of an array the first job speaks for all.
std::string submit_warning(const StateView& state, const Job& job, Now now);

}  // namespace gpusched
