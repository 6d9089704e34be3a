// Environments of ended jobs are large and hardly ever needed: they stay in the store, and memory
// keeps their names. The jobs of an array share a spec, so it counts who has not ended.
// The variables of a spec are put away and brought back between turns only, while nobody writes it.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "core/model/job.h"

namespace gpusched {

class EndedEnvironments {
 public:
  // A job takes the place of another; null: there was none, or there is none any more.
  void change(const Job* before, const Job* after);
  // True if the job has ended, and all that share its spec have.
  bool may_go(const Job& job) const;

 private:
  std::unordered_map<const JobSpec*, std::size_t> live_;  // Of arrays; a single job has its own.
};

// How many bytes were put away.
std::size_t put_away(const JobSpec& spec);
// False: it is not among those that were read. What is here stays as it is.
bool bring_back(const JobSpec& spec, const EnvironmentsByHash& read);

}  // namespace gpusched
