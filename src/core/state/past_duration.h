// How long a job will run by past runs and by its limit.
#pragma once

#include <optional>
#include <string>

#include "core/model/job.h"
#include "core/state/estimates.h"

namespace gpusched {

// By past runs of its signature, else of its sweep; on cards of this model, or on any. None: there
// were none.
std::optional<Microseconds> past_duration(const Estimates& estimates, const Job& job,
                                          const std::string* model);
// What it takes at the very most: its time limit and grace are enforced. None: no limit.
std::optional<Microseconds> longest_run(const Job& job);

}  // namespace gpusched
