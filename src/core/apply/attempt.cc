// What the world reports about attempts. A report names its attempt; one that does not match the
// job's current attempt, or comes twice, is late news and changes nothing.
#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "base/words.h"
#include "core/apply/learn.h"
#include "core/apply/transitions.h"
#include "core/model/kind.h"
#include "core/state/dependency.h"

namespace gpusched {
namespace {

const Job* current(const StateView& state, AttemptId attempt) {
  const Job* job = state.find(attempt.job);
  return job != nullptr && job->active() && job->attempt == attempt.number ? job : nullptr;
}

}  // namespace

std::string outcome_text(const Ended& ended) {
  if (!ended.message.empty()) return ended.message;
  if (ended.cause == Cause::kTimeout) return "reached its time limit";
  if (ended.cause == Cause::kCudaOom) return "ran out of GPU memory";
  if (ended.signal) return "ended by signal " + std::to_string(*ended.signal);
  if (ended.exit_code) return "ended with exit code " + std::to_string(*ended.exit_code);
  return state_name(JobState{ended});
}

// A chain of dependents may be as long as the queue: worked off as a list, not by recursion.
void end_job(State& state, Job job, Ended ended, Now now) {
  std::vector<std::pair<Job, Ended>> ending;
  ending.emplace_back(std::move(job), std::move(ended));
  while (!ending.empty()) {
    auto [next, how] = std::move(ending.back());
    ending.pop_back();
    const std::string text = outcome_text(how);
    const JobId id = next.id;
    next.state = std::move(how);
    state.note(next, state_name(next.state), text, now);
    state.put(std::move(next), now);
    for (const JobId dependent : state.dependents_of(id)) {
      const Job& waiting = *state.find(dependent);
      if (dependencies_of(state, *waiting.spec) != DependencyStatus::kImpossible) {
        state.wake(dependent, now);
        continue;
      }
      Ended gone{.outcome = Outcome::kCancelled, .cause = Cause::kDependency};
      gone.message = "job " + to_string(id) + ", which it waits for, ended as " +
                     state_name(state.find(id)->state);
      gone.ended_at = now.wall;
      ending.emplace_back(waiting, std::move(gone));
    }
  }
}

Applied apply_progress(State& state, const ProgressSeen& seen) {
  const Job* job = current(state, seen.attempt);
  const auto* running = job ? std::get_if<Running>(&job->state) : nullptr;
  if (running == nullptr || seen.total == 0) return {};
  const Microseconds ran = std::max(Microseconds{0}, ran_for(*running, seen.at));
  Progress progress{.step = seen.step, .total = seen.total, .ran = ran};
  progress.said = seen.said;
  state.seen().uses.set_progress(seen.attempt, std::move(progress));
  state.note_pace(*job, seen.step, ran);
  return {};
}

Applied apply_running(State& state, const AttemptRunning& report, Now now) {
  const Job* found = current(state, report.attempt);
  if (found == nullptr || !std::holds_alternative<Starting>(found->state)) return {};
  Job job = *found;
  const auto& starting = std::get<Starting>(job.state);
  const StopReason stopping = starting.stopping;
  Running running{.grant = starting.grant, .started_at = report.started_at, .stopping = stopping};
  std::string told = kind_of(job).started;
  if (running.grant.mps && !report.without_mps.empty()) {
    running.grant.mps = false;
    told += ", without MPS: " + report.without_mps;
  }
  job.state = std::move(running);
  state.note(job, "running", told, now);
  Applied applied;
  if (kind_of(job).taken_over()) {
    let_go_if_asked(state, job, applied.effects);
    // The shim that was to end it may have been lost before it could.
    if (stopping == StopReason::kCancel) {
      applied.effects.emplace_back(StopAttempt{report.attempt, job.spec->time.grace});
    }
  }
  state.put(std::move(job), now);
  return applied;
}

namespace {

// Time that it spent aside is no time on its cards.
std::optional<GpuUsage> gpu_usage_of(const StateView& state, const Job& job, const Ended& ended) {
  if (ended.grant.cards.empty()) return std::nullopt;
  GpuUsage usage = state.seen().uses.of(job.current_attempt()).value_or(GpuUsage{});
  if (ended.started_at && ended.ended_at > *ended.started_at) {
    const std::chrono::duration<double> ran = std::max(
        Microseconds{0}, ended.ended_at - *ended.started_at - away_for(job, ended.ended_at));
    usage.gpu_seconds = static_cast<double>(ended.grant.cards.size()) * ran.count();
  }
  return usage;
}

// As the report has it; whether it is a failure is for the caller to say.
Ended failure_of(const StateView& state, const Job& job, const AttemptFinished& report) {
  Ended ended{.outcome = Outcome::kFailed, .cause = report.cause};
  ended.exit_code = report.exit_code;
  ended.signal = report.signal;
  ended.message = report.message;
  ended.started_at = report.started_at;
  if (const auto* running = std::get_if<Running>(&job.state); running && !ended.started_at) {
    ended.started_at = running->started_at;
  }
  ended.ended_at = report.ended_at;
  ended.grant = *grant_of(job);
  auto usage = std::make_shared<Usage>(report.usage);
  usage->gpu = gpu_usage_of(state, job, ended);
  if (usage->said.empty()) {
    const auto progress = state.seen().uses.progress_of(job.current_attempt());
    if (progress) usage->said = progress->said;
  }
  ended.usage = std::move(usage);
  return ended;
}

// By the TERM and KILL that follow when the time to save is over.
bool was_ended_by_us(const AttemptFinished& report) {
  const int signal = report.signal.value_or(0);
  return report.cause == Cause::kSignal && (signal == SIGTERM || signal == SIGKILL);
}

// Where we ended it, the cause is ours to say. True: it lost its place through no fault of its own.
bool name_our_cause(const Job& job, StopReason stopping, Ended& ended) {
  if (stopping == StopReason::kVramLimit) {
    ended.cause = Cause::kVramLimit;
    ended.message = "took more than its limit of " + mib_text(job.spec->extras->vram_limit_bytes) +
                    " on a card";
  } else if (kind_of(job).taken_over() && ended.cause == Cause::kSupervisorLost) {
    ended.message = "its supervisor was lost; its process goes on by itself, if it lives";
  } else if (stopping == StopReason::kGpuLost) {
    ended.cause = Cause::kGpuLost;
    ended.message = "its card was lost";
    return true;
  } else if (stopping == StopReason::kRestoreLost) {
    ended.cause = Cause::kRestoreLost;
    ended.message = "it could not be brought back to its cards";
    return true;
  }
  return false;
}

Applied end_as_let_go(State& state, Job job, const AttemptFinished& report, Now now) {
  Ended ended = failure_of(state, job, report);
  ended.outcome = Outcome::kCompleted;
  ended.message = "let go: its process goes on by itself";
  end_job(state, std::move(job), std::move(ended), now);
  return {};
}

}  // namespace

Applied apply_finished(State& state, const AttemptFinished& report, Now now) {
  const Job* found = current(state, report.attempt);
  if (found == nullptr) return {};
  Job job = *found;
  const StopReason stopping = stopping_of(job);
  state.say_end({.attempt = report.attempt, .at = report.ended_at, .began = report.started_at});
  if (report.let_go) return end_as_let_go(state, std::move(job), report, now);
  if (stopping == StopReason::kRequeue) {
    queue_again(state, std::move(job), {}, "started over on request", now);
    return {};
  }
  // One that outgrew its limit would only do so again.
  const bool may_go_on = stopping != StopReason::kCancel && stopping != StopReason::kVramLimit;
  if (may_go_on && has_saved(job, report)) {
    queue_saved(state, std::move(job), report, now);
    return {};
  }
  Ended ended = failure_of(state, job, report);
  // One that was only told to end may say 0 to that; one that was asked to save means it.
  const bool gives_way = stopping == StopReason::kMakeRoom || stopping == StopReason::kPressure;
  const char* const gave_way = stopping == StopReason::kPressure
                                   ? "moved aside: its card was under pressure"
                                   : "ended to make room; it begins again";
  if (gives_way && !job.spec->saves) {
    queue_again(state, std::move(job), {}, gave_way, now);
    return {};
  }
  if (stopping == StopReason::kCancel) {
    ended.outcome = Outcome::kCancelled;
    ended.cause.reset();
    end_job(state, std::move(job), std::move(ended), now);
    return {};
  }
  // How an adopted process ended is its parent's to know, not ours.
  const bool by_itself = stopping == StopReason::kNone || stopping == StopReason::kLetGo;
  const bool unknown = !kind_of(job).started_here && !report.exit_code && by_itself;
  const bool ran_out = stopping == StopReason::kVramLimit;
  if (report.cause == Cause::kExit && !ran_out && (report.exit_code == 0 || unknown)) {
    ended.outcome = Outcome::kCompleted;
    learn(state, job, ended, now);
    end_job(state, std::move(job), std::move(ended), now);
    return {};
  }
  if (report.cause == Cause::kMachineLost && job.spec->restartable) {
    queue_again(state, std::move(job), {}, "the machine went down; the job is restartable", now);
    return {};
  }
  // We ended it for somebody else's sake: that is no failure of its own.
  if (gives_way && (job.spec->restartable || was_ended_by_us(report))) {
    const char* const then = job.saved_attempt > 0 ? "goes on from what it saved before" : gave_way;
    queue_again(state, std::move(job), {}, std::string("did not save in time; ") + then, now);
    return {};
  }
  if (gives_way && ended.message.empty()) {
    ended.message = "was asked to save itself and make room, and " + outcome_text(ended);
  }
  const bool lost = name_our_cause(job, stopping, ended);
  if (lost && job.spec->restartable) {
    queue_again(state, std::move(job), {}, ended.message + "; the job is restartable", now);
    return {};
  }
  return fail_attempt(state, std::move(job), std::move(ended), now);
}

Applied apply_never_ran(State& state, const AttemptNeverRan& report, Now now) {
  const Job* found = current(state, report.attempt);
  if (found == nullptr) return {};
  if (std::holds_alternative<Running>(found->state)) {
    // It did run, only the record of it is gone: to start it again would be a second time.
    AttemptFinished finished{.attempt = report.attempt, .cause = Cause::kSupervisorLost};
    finished.message = "its job directory is gone, and with it how it ended";
    finished.ended_at = now.wall;
    return apply_finished(state, finished, now);
  }
  Job job = *found;
  const StopReason stopping = stopping_of(job);
  if (kind_of(job).taken_over() && report.error.empty()) {
    return adopt_again(state, std::move(job), "nobody had taken it over yet", now);
  }
  if (stopping == StopReason::kCancel) {
    Ended ended{.outcome = Outcome::kCancelled};
    ended.ended_at = now.wall;
    end_job(state, std::move(job), std::move(ended), now);
    return {};
  }
  if (report.error.empty() || stopping == StopReason::kRequeue ||
      stopping == StopReason::kPressure || stopping == StopReason::kMakeRoom) {
    queue_again(state, std::move(job), {}, "the attempt was lost before its command ran", now);
    return {};
  }
  const bool again = kind_of(job).not_again == nullptr;
  if (report.no_room && again) {
    constexpr Seconds kRoomWait{5};
    queue_again(state, std::move(job), kRoomWait, "waits for room on the disk: " + report.error,
                now);
    return {};
  }
  // Not the job's fault, but not cured by trying at once either.
  ++job.failures;
  if (again && job.failures <= std::max(3, job.spec->retry.retries)) {
    state.say_end({.attempt = report.attempt, .at = now.wall, .failed = Cause::kLaunch});
    const Microseconds wait = back_off_of(job.spec->retry, job.failures);
    queue_again(state, std::move(job), wait, "could not be launched: " + report.error, now);
    return {};
  }
  Ended ended{.outcome = Outcome::kFailed, .cause = Cause::kLaunch};
  ended.message = report.error;
  ended.ended_at = now.wall;
  ended.grant = *grant_of(job);
  end_job(state, std::move(job), std::move(ended), now);
  return {};
}

}  // namespace gpusched
