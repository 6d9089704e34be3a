#include "daemon/job_containers.h"

#include <algorithm>
#include <variant>

#include "core/model/kind.h"

namespace gpusched {
namespace {

using watch::Container;

// Those that belong to a machine rather than to a job (LXC, systemd) are never ended for one;
// Apptainer's are in the job's tree.
bool is_engine(Container::Kind kind) {
  return kind == Container::Kind::kDocker || kind == Container::Kind::kPodman ||
         kind == Container::Kind::kContainerd || kind == Container::Kind::kCrio;
}

const Running* running_attempt(const StateView& state, AttemptId attempt) {
  const Job* job = state.find(attempt.job);
  // What a process that we did not start has started is as little ours as itself.
  if (job == nullptr || job->current_attempt() != attempt) return nullptr;
  if (!kind_of(*job).started_here) return nullptr;
  return std::get_if<Running>(&job->state);
}

}  // namespace

void JobContainers::learn(const watch::SampleReport& report, const StateView& state) {
  if (!report.processes) return;
  for (const watch::WatchedProcess& process : *report.processes) {
    const watch::ProcessOwner& owner = process.owner;
    if (!owner.attempt || !owner.container || !is_engine(owner.container->kind)) continue;
    const Running* running = running_attempt(state, *owner.attempt);
    if (running == nullptr) continue;
    Known& known = known_[*owner.attempt];
    known.since = report.at.boot - (report.at.wall - running->started_at);
    const std::string& group = owner.container->group;
    if (!group.empty() && std::ranges::find(known.groups, group) == known.groups.end()) {
      known.groups.push_back(group);
    }
  }
}

std::vector<JobContainers::LeftBehind> JobContainers::take_left_behind(const StateView& state) {
  std::vector<LeftBehind> left;
  for (auto at = known_.begin(); at != known_.end();) {
    if (running_attempt(state, at->first) != nullptr) {
      ++at;
      continue;
    }
    left.push_back({at->first, at->second.since, std::move(at->second.groups)});
    at = known_.erase(at);
  }
  return left;
}

}  // namespace gpusched
