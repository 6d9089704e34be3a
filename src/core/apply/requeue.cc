// Requeue: an ended job again under its id, a running one from its beginning.
#include "core/apply/transitions.h"
#include "core/state/dependency.h"
#include "core/state/ended_environments.h"

namespace gpusched {

Applied apply_requeue(State& state, const RequeueAsked& asked, Now now) {
  const auto ended = [](const Job& job) { return job.ended(); };
  if (auto refusal = refuse_again(state, asked.actor, asked.jobs, ended)) {
    return refused(std::move(*refusal));
  }
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>& effects) {
    if (!job.ended() && !job.active()) {
      return std::string("is ") + state_name(job.state) + " already";
    }
    if (const char* why = kind_of(job).not_again) return std::string(why);
    if (job.ended() && dependencies_of(state, *job.spec) == DependencyStatus::kImpossible) {
      return std::string("waits for a job that did not end as it wishes; requeue that one first");
    }
    // It ended after those were read, and was put away.
    if (job.ended() && asked.environments && !bring_back(*job.spec, *asked.environments)) {
      return std::string("has just ended; ask once more");
    }
    job.failures = 0;
    job.quick_saves = 0;
    if (job.ended()) {
      queue_again(state, std::move(job), {}, "queued again on request", now);
      return std::string();
    }
    const AttemptId attempt = job.current_attempt();
    const Seconds grace = job.spec->time.grace;
    stopping_in(job) = StopReason::kRequeue;
    state.note(job, "stopping", "to be started over on request", now);
    state.put(std::move(job), now);
    effects.emplace_back(StopAttempt{attempt, grace});
    return std::string();
  });
}

}  // namespace gpusched
