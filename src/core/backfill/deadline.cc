#include "core/backfill/deadline.h"

#include "base/check.h"
#include "core/admit/tentative.h"
#include "core/backfill/backfill.h"
#include "core/model/reason.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

std::string late_sentence(const StateView& state, const Job& job, Wall deadline, Wall now) {
  return "its deadline cannot be met: it comes in " + rough_duration(deadline - now) +
         ", and the job takes about " + rough_duration(run_ahead_of(state.estimates(), job));
}

// Without a run time only the start says something.
std::string unknown_sentence(std::optional<Wall> start, Wall deadline, Wall now) {
  if (start && *start >= deadline) {
    return "its deadline will not be met as things are: it comes in " +
           rough_duration(deadline - now) + ", and the job should start in " +
           rough_duration(*start - now);
  }
  return "whether its deadline can be met is unknown: it has no time limit and has not run before";
}

}  // namespace

bool run_is_known(const StateView& state, const Job& job) {
  return known_run_of(state.estimates(), job).has_value();
}

DeadlineTimes deadline_times(const StateView& state, const Job& job) {
  return deadline_times(state.estimates(), state.rules().deadline_slack, job);
}

std::optional<Wall> earliest_start(const StateView& state, const Job& job, Now now) {
  if (!state.pending().contains(job.id)) return std::nullopt;
  return reserve_start_for(state, Tentative(state), job, now).start;
}

std::string deadline_warning(const StateView& state, const Job& job, std::optional<Wall> start,
                             Now now) {
  if (!job.spec->extras->deadline || job.ended()) return {};
  const Wall deadline = *job.spec->extras->deadline;
  if (deadline <= now.wall) return "its deadline has passed";
  if (job.active()) {
    const Wall end = end_of(state, job, now, Trust::kEstimates);
    if (end == kNobodyKnows || end <= deadline) return {};
    return "its deadline comes in " + rough_duration(deadline - now.wall) +
           ", but it should run for " + rough_duration(end - now.wall) + " more";
  }
  if (!run_is_known(state, job)) return unknown_sentence(start, deadline, now.wall);
  const DeadlineTimes times = deadline_times(state, job);
  if (times.latest_start < now.wall) return late_sentence(state, job, deadline, now.wall);
  if (!start || *start <= times.latest_start) return {};
  return "its deadline will not be met as things are: it should start in " +
         rough_duration(*start - now.wall) + " and would have to in " +
         rough_duration(times.latest_start - now.wall);
}

}  // namespace gpusched
