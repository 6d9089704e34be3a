#include "sim/sim_launcher.h"

#include <algorithm>
#include <utility>

namespace gpusched {

SimLauncher::SimLauncher(Planner planner, LauncherSink sink)
    : planner_(std::move(planner)), sink_(std::move(sink)) {}

void SimLauncher::launch(LaunchOrder order) {
  const AttemptId id = order.attempt;
  Attempt attempt;
  attempt.plan = planner_(order);
  attempt.order = std::move(order);
  attempt.next = now_.boot + attempt.plan.start_after;
  attempts_.insert_or_assign(id, std::move(attempt));
}

void SimLauncher::adopt(AttemptId id) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || found->second.phase == Phase::kRequested) {
    // The claim is won: it has not run and never will.
    attempts_.erase(id);
    outbox_.emplace_back(AttemptNotStarted{id, ""});
    return;
  }
  Attempt& attempt = found->second;
  attempt.followed = true;
  if (attempt.phase == Phase::kRunning) {
    outbox_.emplace_back(AttemptStarted{id, 1, attempt.started_at});
  } else {
    tell_end(id, attempt);
  }
}

void SimLauncher::stop(AttemptId id, Seconds grace) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) return;
  Attempt& attempt = found->second;
  if (attempt.phase == Phase::kEnded || attempt.phase == Phase::kLost) return;
  const Microseconds wait = attempt.plan.ignores_term ? Microseconds{grace} : Microseconds{1000};
  attempt.stopping = true;
  attempt.signal = attempt.plan.ignores_term ? 9 : 15;
  // One that has not started yet starts first, and is ended then.
  if (attempt.phase == Phase::kRunning) attempt.next = std::min(attempt.next, now_.boot + wait);
  attempt.plan.run_for = std::min(attempt.plan.run_for, wait);
}

void SimLauncher::change_time(AttemptId, const TimeRule&) {}

void SimLauncher::forget(JobId job) {
  std::erase_if(attempts_, [job](const auto& entry) { return entry.first.job == job; });
}

void SimLauncher::start(AttemptId id, Attempt& attempt) {
  Truth& truth = truth_[id];
  ++truth.times_run;
  truth.alive = true;
  attempt.phase = Phase::kRunning;
  attempt.started_at = now_.wall;
  Microseconds run_for = attempt.plan.run_for;
  const TimeRule& time = attempt.order.time;
  if (time.limit > Seconds{0}) run_for = std::min(run_for, Microseconds{time.limit});
  attempt.next = now_.boot + run_for;
  if (attempt.followed) outbox_.emplace_back(AttemptStarted{id, 1, now_.wall});
}

void SimLauncher::end(AttemptId id, Attempt& attempt) {
  attempt.phase = attempt.plan.supervisor_dies ? Phase::kLost : Phase::kEnded;
  attempt.ended_at = now_.wall;
  Truth& truth = truth_[id];
  truth.alive = false;
  if (!attempt.plan.supervisor_dies && !attempt.stopping) truth.exit_code = attempt.plan.exit_code;
  if (attempt.followed) tell_end(id, attempt);
}

void SimLauncher::tell_end(AttemptId id, const Attempt& attempt) {
  if (attempt.phase == Phase::kLost) {
    outbox_.emplace_back(SupervisorLost{id, now_.wall});
    return;
  }
  AttemptEnded report{.attempt = id};
  if (attempt.stopping) {
    report.cause = Cause::kSignal;
    report.signal = attempt.signal;
  } else {
    report.exit_code = attempt.plan.exit_code;
    const TimeRule& time = attempt.order.time;
    if (time.limit > Seconds{0} && attempt.plan.run_for > time.limit) {
      report.cause = Cause::kTimeout;
    }
  }
  report.started_at = attempt.started_at;
  report.ended_at = attempt.ended_at;
  outbox_.emplace_back(std::move(report));
}

void SimLauncher::advance(Now now) {
  now_ = now;
  std::vector<AttemptId> gone;
  for (auto& [id, attempt] : attempts_) {
    if (attempt.phase == Phase::kRequested && attempt.next <= now.boot) {
      if (!attempt.plan.launch_error.empty() || !attempt.plan.claims) {
        outbox_.emplace_back(AttemptNotStarted{id, attempt.plan.launch_error});
        gone.push_back(id);
        continue;
      }
      start(id, attempt);
    }
    if (attempt.phase == Phase::kRunning && attempt.next <= now.boot) end(id, attempt);
  }
  for (const AttemptId id : gone) attempts_.erase(id);
  for (LauncherReport& report : std::exchange(outbox_, {})) sink_(std::move(report));
}

std::optional<Boot> SimLauncher::next_event() const {
  std::optional<Boot> next;
  if (!outbox_.empty()) next = now_.boot;
  for (const auto& [id, attempt] : attempts_) {
    if (attempt.phase == Phase::kEnded || attempt.phase == Phase::kLost) continue;
    if (!next || attempt.next < *next) next = attempt.next;
  }
  return next;
}

void SimLauncher::daemon_died() {
  outbox_.clear();
  std::erase_if(attempts_,
                [](const auto& entry) { return entry.second.phase == Phase::kRequested; });
  for (auto& [id, attempt] : attempts_) attempt.followed = false;
}

void SimLauncher::machine_died() {
  daemon_died();
  for (auto& [id, attempt] : attempts_) {
    if (attempt.phase != Phase::kRunning) continue;
    attempt.phase = Phase::kLost;
    truth_[id].alive = false;
  }
}

void SimLauncher::repeat_reports() {
  for (const auto& [id, attempt] : attempts_) {
    if (!attempt.followed || attempt.phase == Phase::kRequested) continue;
    outbox_.emplace_back(AttemptStarted{id, 1, attempt.started_at});
    if (attempt.phase != Phase::kRunning) tell_end(id, attempt);
  }
}

int SimLauncher::alive_of(JobId job) const {
  int alive = 0;
  for (auto entry = truth_.lower_bound({job, 0}); entry != truth_.end(); ++entry) {
    if (entry->first.job != job) break;
    alive += entry->second.alive ? 1 : 0;
  }
  return alive;
}

}  // namespace gpusched
