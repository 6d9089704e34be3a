// Cancel: whatever a job is doing.
#include "base/text.h"
#include "core/apply/transitions.h"

namespace gpusched {

Applied apply_cancel(State& state, const CancelAsked& asked, Now now) {
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>& effects) {
    if (job.ended()) return std::string("has already ended");
    if (!job.active()) {
      Ended ended{.outcome = Outcome::kCancelled};
      ended.message = "cancelled before it started";
      ended.ended_at = now.wall;
      end_job(state, std::move(job), std::move(ended), now);
      return std::string();
    }
    if (!kind_of(job).has_shim) {
      if (ends_when_back(state, job, StopReason::kCancel, "cancel was asked for", now)) {
        return std::string();
      }
      end_lease(state, std::move(job), {.why = StopReason::kCancel, .message = "cancelled"}, now);
      return std::string();
    }
    if (stopping_of(job) == StopReason::kLetGo && !is_aside(job)) {
      return std::string("is being let go");
    }
    const Seconds grace = asked.grace.value_or(job.spec->time.grace);
    const AttemptId attempt = job.current_attempt();
    stopping_in(job) = StopReason::kCancel;
    state.note(job, "cancelling",
               "cancel was asked for; it has " + format_duration(grace) + " to end by itself", now);
    state.put(std::move(job), now);
    effects.emplace_back(StopAttempt{attempt, grace});
    return std::string();
  });
}

}  // namespace gpusched
