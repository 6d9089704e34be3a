// Whether the jobs that a job waits for have ended as it wishes.
#pragma once

#include <vector>

#include "core/model/job.h"
#include "core/state/state_view.h"

namespace gpusched {

enum class DependencyStatus {
  kMet,
  kOpen,        // Not ended yet.
  kImpossible,  // Ended otherwise, or gone: it can never be met.
};
DependencyStatus status_of(const StateView& state, const Dependency& dependency);

// All dependencies of a job together: impossible if one is, open if one is.
DependencyStatus dependencies_of(const StateView& state, const JobSpec& spec);
// Those still open, in the order given.
std::vector<JobId> open_dependencies(const StateView& state, const JobSpec& spec);

// These, those that they wait for, and so on; sorted.
std::vector<JobId> all_waited_for(const StateView& state, const std::vector<Dependency>& after);

}  // namespace gpusched
