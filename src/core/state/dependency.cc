#include "core/state/dependency.h"

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

}  // namespace gpusched
