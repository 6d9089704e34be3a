// cancel, hold, release, requeue: each works on a job whatever state it is in, or says why not.
#include "core/apply/transitions.h"
#include "core/state/dependency.h"

namespace gpusched {
namespace {

// Jobs of a sweep that the crash guard holds per turn.
constexpr std::size_t kHoldSlice = 1000;

// Refuses the whole request if a job that it lets into the queue has a priority that its tenant may
// not ask for any more.
template <class Concerns>
std::optional<Refusal> refuse_again(const State& state, const Actor& actor,
                                    const std::vector<JobId>& jobs, Concerns concerns) {
  if (actor.administrator) return std::nullopt;
  if (auto refusal = refuse_ids(state, actor, jobs)) return refusal;
  std::vector<JobId> concerned;
  for (const JobId id : jobs) {
    if (concerns(*state.find(id))) concerned.push_back(id);
  }
  return check_priorities(state, actor, concerned);
}

}  // namespace

bool may_change(const Actor& actor, const Job& job) {
  return actor.administrator || actor.uid == job.owner.uid;
}

std::optional<Refusal> refuse_ids(const State& state, const Actor& actor,
                                  const std::vector<JobId>& jobs) {
  for (const JobId id : jobs) {
    const Job* job = state.find(id);
    if (job == nullptr || state.in_open_submission(id)) {
      return Refusal{RefusalKind::kNotFound, "there is no job " + to_string(id)};
    }
    if (!may_change(actor, *job)) {
      return Refusal{RefusalKind::kForbidden,
                     "job " + to_string(id) + " belongs to " + job->owner.user +
                         "; only its owner or an administrator may change it"};
    }
  }
  return std::nullopt;
}

Applied change_each(const State& state, const Actor& actor, const std::vector<JobId>& jobs,
                    const ChangeOne& change) {
  Applied applied;
  if (auto refusal = refuse_ids(state, actor, jobs)) {
    applied.answer = *refusal;
    return applied;
  }
  Changed changed;
  for (const JobId id : jobs) {
    std::string why_not = change(*state.find(id), applied.effects);
    if (why_not.empty()) {
      changed.jobs.push_back(id);
    } else {
      changed.unchanged.emplace_back(id, std::move(why_not));
    }
  }
  applied.answer = std::move(changed);
  return applied;
}

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
    if (job.spec->lease) {
      if (ends_when_back(state, job, StopReason::kCancel, "cancel was asked for", now)) {
        return std::string();
      }
      end_lease(state, std::move(job), {.why = StopReason::kCancel, .message = "cancelled"}, now);
      return std::string();
    }
    if (stopping_of(job) == StopReason::kLetGo && aside_phase(job) == AsidePhase::kHere) {
      return std::string("is being let go");
    }
    const Seconds grace = asked.grace.value_or(job.spec->time.grace);
    const AttemptId attempt = job.current_attempt();
    stopping_in(job) = StopReason::kCancel;
    state.note(
        job, "cancelling",
        "cancel was asked for; it has " + std::to_string(grace.count()) + " s to end by itself",
        now);
    state.put(std::move(job), now);
    effects.emplace_back(StopAttempt{attempt, grace});
    return std::string();
  });
}

Applied apply_hold(State& state, const HoldAsked& asked, Now now) {
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>&) {
    if (!std::holds_alternative<Queued>(job.state)) {
      return std::string("is ") + state_name(job.state) + ", only a queued job can be held";
    }
    job.state = Held{HoldReason::kUser};
    state.note(job, "held", "held on request", now);
    state.put(std::move(job), now);
    return std::string();
  });
}

Applied apply_release(State& state, const ReleaseAsked& asked, Now now) {
  const auto held = [](const Job& job) { return std::holds_alternative<Held>(job.state); };
  if (auto refusal = refuse_again(state, asked.actor, asked.jobs, held)) {
    return {.answer = std::move(*refusal), .effects = {}, .follow_up = {}};
  }
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>&) {
    if (!std::holds_alternative<Held>(job.state)) {
      return std::string("is ") + state_name(job.state) + ", not held";
    }
    if (job.task) state.guard_array(job.task->array, false);
    job.state = Queued{};
    state.note(job, "released", "released on request", now);
    state.put(std::move(job), now);
    return std::string();
  });
}

Applied apply_requeue(State& state, const RequeueAsked& asked, Now now) {
  const auto ended = [](const Job& job) { return job.ended(); };
  if (auto refusal = refuse_again(state, asked.actor, asked.jobs, ended)) {
    return {.answer = std::move(*refusal), .effects = {}, .follow_up = {}};
  }
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>& effects) {
    if (!job.ended() && !job.active()) {
      return std::string("is ") + state_name(job.state) + " already";
    }
    if (job.spec->lease) return std::string("is a lease; its holder has to ask for another one");
    if (job.spec->adopted) return std::string("was adopted: only its owner can start it again");
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
