#include "core/state/dependency.h"

#include <set>

namespace gpusched {

DependencyStatus status_of(const StateView& state, const Dependency& dependency) {
  const Job* job = state.find(dependency.job);
  if (job == nullptr) return DependencyStatus::kImpossible;
  const auto* ended = std::get_if<Ended>(&job->state);
  if (ended == nullptr) return DependencyStatus::kOpen;
  switch (dependency.kind) {
    case DependencyKind::kAny:
      return DependencyStatus::kMet;
    case DependencyKind::kOk:
      return ended->outcome == Outcome::kCompleted ? DependencyStatus::kMet
                                                   : DependencyStatus::kImpossible;
    case DependencyKind::kFail:
      return ended->outcome == Outcome::kFailed ? DependencyStatus::kMet
                                                : DependencyStatus::kImpossible;
  }
  return DependencyStatus::kImpossible;
}

DependencyStatus dependencies_of(const StateView& state, const JobSpec& spec) {
  DependencyStatus all = DependencyStatus::kMet;
  for (const Dependency& dependency : spec.extras->after) {
    const DependencyStatus one = status_of(state, dependency);
    if (one == DependencyStatus::kImpossible) return one;
    if (one == DependencyStatus::kOpen) all = one;
  }
  return all;
}

std::vector<JobId> open_dependencies(const StateView& state, const JobSpec& spec) {
  std::vector<JobId> open;
  for (const Dependency& dependency : spec.extras->after) {
    if (status_of(state, dependency) == DependencyStatus::kOpen) open.push_back(dependency.job);
  }
  return open;
}

std::vector<JobId> all_waited_for(const StateView& state, const std::vector<Dependency>& after) {
  std::set<JobId> seen;
  std::vector<JobId> open;
  const auto add = [&](const std::vector<Dependency>& list) {
    for (const Dependency& one : list) {
      if (seen.insert(one.job).second) open.push_back(one.job);
    }
  };
  add(after);
  while (!open.empty()) {
    const Job* job = state.find(open.back());
    open.pop_back();
    // Of one that has ended, too: it may be run again.
    if (job != nullptr) add(job->spec->extras->after);
  }
  return {seen.begin(), seen.end()};
}

}  // namespace gpusched
