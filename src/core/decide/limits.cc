#include "core/decide/limits.h"

#include "core/share/quota.h"

namespace gpusched {
namespace {

int started(const auto& counts, const auto& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

Limited limited(const StateView& state, const Tentative& free, const Job& job, Now now) {
  const JobSpec& spec = *job.spec;
  const std::size_t at_once = state.active().size() + free.started.size();
  const int most = state.host().jobs_most;
  if (most > 0 && at_once >= static_cast<std::size_t>(most)) return Limited::kMachine;
  if (job.task && state.guarded(job.task->array)) return Limited::kGuard;
  if (!spec.group.empty()) {
    const auto group = state.groups().find(spec.group);
    const int limit = group == state.groups().end() ? 0 : group->second.limit;
    if (group != state.groups().end() && group->second.paused) return Limited::kGroupPaused;
    const int active =
        state.active_in_group(spec.group) + started(free.started_in_group, spec.group);
    if (limit > 0 && active >= limit) return Limited::kGroup;
  }
  if (job.task && spec.extras->array_limit > 0) {
    const int active =
        state.active_in_array(job.task->array) + started(free.started_in_array, job.task->array);
    if (active >= spec.extras->array_limit) return Limited::kArray;
  }
  if (quota_stop(state, free, job, now)) return Limited::kQuota;
  // It needs a directory, and its start a commit.
  if (state.disk_full()) return Limited::kDisk;
  return Limited::kNo;
}

}  // namespace gpusched
