// The crash guard: where the first jobs of a sweep all died at once, the rest is held.
#include <algorithm>

#include "core/apply/transitions.h"

namespace gpusched {
namespace {

// Jobs of a sweep that are held per turn.
constexpr std::size_t kHoldSlice = 1000;

}  // namespace

// The end of the first jobs of a sweep, all within seconds: stop before the rest burns too.
void guard_sweep(State& state, const Job& job, Applied& applied) {
  if (!job.task || !state.sweep_crashed(job.task->array)) return;
  state.guard_array(job.task->array, true);
  applied.follow_up.emplace_back(HoldSweep{job.task->array, job.task->array});
}

Applied apply_hold_sweep(State& state, const HoldSweep& event, Now now) {
  Applied applied;
  std::vector<JobId> waiting;
  JobId last = event.from;
  std::size_t seen = 0;
  bool more = false;
  for (auto entry = state.jobs().lower_bound(event.from); entry != state.jobs().end(); ++entry) {
    const Job& job = entry->second;
    if (!job.task || job.task->array != event.array) break;
    if (++seen > kHoldSlice) {
      more = true;
      break;
    }
    last = next(entry->first);
    if (std::holds_alternative<Queued>(job.state)) waiting.push_back(entry->first);
  }
  for (const JobId id : waiting) {
    Job job = *state.find(id);
    job.state = Held{HoldReason::kCrashGuard};
    state.note(job, "held",
               "the first jobs of array " + to_string(event.array) +
                   " all failed within seconds; look at their logs, then release it",
               now);
    state.put(std::move(job), now);
  }
  if (more) applied.follow_up.emplace_back(HoldSweep{event.array, last});
  return applied;
}

}  // namespace gpusched
