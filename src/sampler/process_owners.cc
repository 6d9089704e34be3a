#include "sampler/process_owners.h"

#include <algorithm>

#include "sampler/control_group.h"

namespace gpusched {
namespace {

using watch::Evidence;
using watch::ProcessOwner;

// A program may replace itself or write over its arguments: not often.
constexpr auto kFresh = std::chrono::seconds{60};
constexpr auto kForgetAfter = std::chrono::minutes{5};
constexpr int kAncestorsMost = 64;
constexpr std::size_t kContainersMost = 4096;

}  // namespace

void ProcessOwners::set_jobs(watch::JobsOrder jobs) {
  const std::lock_guard lock(mutex_);
  jobs_ = std::move(jobs);
  ++jobs_version_;
  std::erase_if(containers_, [this](const auto& each) { return !runs(each.second); });
}

bool ProcessOwners::runs(AttemptId attempt) const {
  return std::ranges::find(jobs_.attempts, attempt, &watch::RunningAttempt::attempt) !=
         jobs_.attempts.end();
}

std::optional<AttemptId> ProcessOwners::attempt_by_tree(int pid, int parent) {
  for (int step = 0; step < kAncestorsMost && pid > 1; ++step) {
    const auto shim = std::ranges::find(jobs_.attempts, pid, &watch::RunningAttempt::shim);
    if (shim != jobs_.attempts.end()) return shim->attempt;
    pid = parent;
    const auto stat = proc_.stat(pid);
    if (!stat) return std::nullopt;
    // An ancestor that was ours is proof enough, also if its own parents are gone.
    const auto known = known_.find(pid);
    if (known != known_.end() && known->second.owner.started == stat->started &&
        known->second.owner.attempt) {
      return known->second.owner.attempt;
    }
    parent = stat->parent;
  }
  return std::nullopt;
}

std::optional<AttemptId> ProcessOwners::attempt_by_container(const ProcessOwner& owner) const {
  if (!owner.container) return std::nullopt;
  const auto found = containers_.find(owner.container->group);
  return found != containers_.end() ? std::optional(found->second) : std::nullopt;
}

void ProcessOwners::learn_container(const ProcessOwner& owner) {
  if (!owner.attempt || !owner.container) return;
  // The container that we all run in is nobody's.
  const auto job =
      std::ranges::find(jobs_.attempts, *owner.attempt, &watch::RunningAttempt::attempt);
  if (job == jobs_.attempts.end() || !proc_.stat(job->shim)) return;
  if (container_of(proc_.cgroup(job->shim)) == owner.container) return;
  if (containers_.size() >= kContainersMost) containers_.clear();
  containers_[owner.container->group] = *owner.attempt;
}

void ProcessOwners::find_attempt(int pid, const ProcessStat& stat, Known& known) {
  ProcessOwner& owner = known.owner;
  const std::string groups = proc_.cgroup(pid);
  owner.container = container_of(groups);
  if (owner.attempt) return;
  const auto set = [&](AttemptId attempt, Evidence evidence) {
    owner.attempt = attempt;
    owner.evidence = evidence;
  };
  if (const auto attempt = attempt_of(groups, jobs_.cgroup)) {
    known.in_leaf = true;
    return set(*attempt, Evidence::kCgroup);
  }
  if (const auto attempt = attempt_by_tree(pid, stat.parent)) return set(*attempt, Evidence::kTree);
  if (const auto attempt = attempt_by_container(owner)) return set(*attempt, Evidence::kCgroup);
  const auto claimed = jobs_.attempts.empty() ? std::nullopt : proc_.claimed_attempt(pid);
  if (!claimed) return;
  const auto job = std::ranges::find(jobs_.attempts, *claimed, &watch::RunningAttempt::attempt);
  // Anybody can write anything there, but only to harm himself. Who may start root's containers
  // (an engine's group) has root's power anyway.
  const bool by_engine = owner.container && owner.uid == 0U;
  if (job != jobs_.attempts.end() && job->uid && (job->uid == owner.uid || by_engine)) {
    set(*claimed, Evidence::kEnvironment);
  }
}

void ProcessOwners::find_name(Known& known) {
  const std::optional<std::string> name =
      known.owner.uid ? names_.name_of(*known.owner.uid) : std::string();
  known.owner.user = name.value_or(std::string());
  known.name_known = name.has_value();
}

void ProcessOwners::refresh(int pid, const ProcessStat& stat, Now now, Known& known) {
  ProcessOwner& owner = known.owner;
  owner.started = stat.started;
  owner.started_wall = now.wall - (now.boot - stat.started);
  owner.uid = proc_.uid(pid);
  owner.command = proc_.command(pid);
  find_name(known);
  compare_with_jobs(pid, stat, known);
  known.refreshed = now.boot;
}

// What outlives its attempt is a foreign process from then on.
bool ProcessOwners::is_over(const Known& known) const {
  return known.owner.attempt && !known.in_leaf && !runs(*known.owner.attempt);
}

void ProcessOwners::compare_with_jobs(int pid, const ProcessStat& stat, Known& known) {
  if (is_over(known)) {
    known.owner.attempt.reset();
    known.owner.evidence.reset();
  }
  find_attempt(pid, stat, known);
  learn_container(known.owner);
  known.jobs_version = jobs_version_;
}

bool ProcessOwners::is_known_enough(const Known& known, Boot now) const {
  const bool attempt =
      known.jobs_version == jobs_version_ || (known.owner.attempt.has_value() && !is_over(known));
  return attempt && known.name_known && now - known.refreshed < kFresh;
}

ProcessOwner ProcessOwners::owner_of(int pid, Now now, bool unchanged) {
  const std::lock_guard lock(mutex_);
  forget_the_old(now.boot);
  const auto found = known_.find(pid);
  if (unchanged && found != known_.end() && is_known_enough(found->second, now.boot)) {
    found->second.asked = now.boot;
    return found->second.owner;
  }
  const auto stat = proc_.stat(pid);
  if (!stat) {
    ProcessOwner owner;
    if (found != known_.end()) {
      found->second.asked = now.boot;
      owner = found->second.owner;
    }
    owner.alive = false;
    return owner;
  }
  const bool same = found != known_.end() && found->second.owner.started == stat->started;
  Known& known = same ? found->second : (known_[pid] = {});
  known.asked = now.boot;
  ProcessOwner& owner = known.owner;
  if (!same || now.boot - known.refreshed >= kFresh) {
    refresh(pid, *stat, now, known);
  } else if (known.jobs_version != jobs_version_ && (!owner.attempt || is_over(known))) {
    compare_with_jobs(pid, *stat, known);
  }
  if (!known.name_known) find_name(known);
  return owner;
}

std::optional<AttemptId> ProcessOwners::known_attempt_of(int pid) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(pid);
  return found != known_.end() ? found->second.owner.attempt : std::nullopt;
}

void ProcessOwners::forget_the_old(Boot now) {
  if (now - swept_ < kFresh) return;
  swept_ = now;
  std::erase_if(known_, [&](const auto& each) { return now - each.second.asked > kForgetAfter; });
}

}  // namespace gpusched
