#include "sim/sim_launcher.h"

#include <algorithm>
#include <utility>

namespace gpusched {

void SimLauncher::launch(LaunchOrder order) {
  const AttemptId id = order.attempt;
  Attempt attempt;
  attempt.plan = planner_(order);
  attempt.order = std::move(order);
  attempt.next = now_.boot + attempt.plan.start_after;
  attempts_.insert_or_assign(id, std::move(attempt));
  live_.insert(id);
}

void SimLauncher::erase(AttemptId id) {
  attempts_.erase(id);
  live_.erase(id);
}

void SimLauncher::reattach(AttemptId id) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || found->second.phase == Phase::kRequested) {
    // The claim is won: it has not run and never will.
    erase(id);
    outbox_.emplace_back(AttemptNeverRan{id, ""});
    return;
  }
  Attempt& attempt = found->second;
  attempt.followed = true;
  if (attempt.phase == Phase::kRunning) {
    outbox_.emplace_back(AttemptRunning{id, attempt.started_at});
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
  const Boot at = now_.boot + wait;
  attempt.stop_at = attempt.stop_at ? std::min(*attempt.stop_at, at) : at;
  // One that has not started yet starts first, and is ended then.
  if (attempt.phase == Phase::kRunning) reschedule(attempt);
}

void SimLauncher::ask_to_save(AttemptId id, const SaveTerms& terms, Seconds grace) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) return;
  Attempt& attempt = found->second;
  if (attempt.phase == Phase::kEnded || attempt.phase == Phase::kLost) return;
  if (std::exchange(attempt.asked_to_save, true)) return;
  if (attempt.plan.saves_within) attempt.save_at = now_.boot + *attempt.plan.saves_within;
  const Microseconds wait = attempt.plan.ignores_term ? Microseconds{grace} : Microseconds{1000};
  const Boot at = now_.boot + terms.grace + wait;
  attempt.stop_at = attempt.stop_at ? std::min(*attempt.stop_at, at) : at;
  if (attempt.phase == Phase::kRunning) reschedule(attempt);
}

void SimLauncher::let_go(AttemptId id) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || !found->second.order.adopted) return;
  Attempt& attempt = found->second;
  if (attempt.phase != Phase::kRunning) return;
  attempt.let_go = true;
  attempt.natural_end = now_.boot;
  reschedule(attempt);
}

void SimLauncher::change_time(AttemptId id, const TimeRule& time) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) return;
  found->second.order.time = time;
  if (found->second.phase == Phase::kRunning) reschedule(found->second);
}

void SimLauncher::finish(AttemptId id, int exit_code) {
  Attempt& attempt = attempts_.at(id);
  attempt.plan.exit_code = exit_code;
  attempt.natural_end = now_.boot;
  reschedule(attempt);
}

void SimLauncher::kill_supervisor(AttemptId id) {
  Attempt& attempt = attempts_.at(id);
  attempt.plan.supervisor_dies = true;
  attempt.halted_at.reset();
  attempt.natural_end = now_.boot;
  reschedule(attempt);
}

void SimLauncher::run_out_of_memory(AttemptId id) {
  Attempt& attempt = attempts_.at(id);
  attempt.out_of_memory = true;
  attempt.plan.exit_code = 1;
  attempt.natural_end = now_.boot;
  reschedule(attempt);
}

// Memory grows while the command computes.
std::uint64_t SimLauncher::memory_of(const Attempt& attempt) const {
  const std::uint64_t whole = attempt.plan.vram_bytes;
  if (attempt.plan.vram_per_second == 0) return whole;
  const Boot until = attempt.halted_at.value_or(now_.boot);
  const auto computed =
      std::chrono::duration<double>(until - attempt.started_boot - attempt.halted_for);
  const double grown = static_cast<double>(attempt.plan.vram_per_second) * computed.count();
  if (grown >= static_cast<double>(whole)) return whole;
  return static_cast<std::uint64_t>(std::max(0.0, grown));
}

std::uint64_t SimLauncher::part_on_each_card(AttemptId id) const {
  const Attempt& attempt = attempts_.at(id);
  return attempt.plan.cards.empty() ? 0 : memory_of(attempt) / attempt.plan.cards.size();
}

bool SimLauncher::has_adopted(int pid) const {
  return std::ranges::any_of(live_, [&](const AttemptId& id) {
    const Attempt& attempt = attempts_.at(id);
    return attempt.phase == Phase::kRunning && attempt.order.adopted &&
           attempt.order.adopted->pid == pid;
  });
}

std::vector<SimLauncher::OnCard> SimLauncher::on_card(CardNumber card) const {
  std::vector<OnCard> found;
  for (const AttemptId id : live_) {
    const Attempt& attempt = attempts_.at(id);
    const auto& cards = attempt.plan.cards;
    if (attempt.phase != Phase::kRunning) continue;
    if (std::ranges::find(cards, card) == cards.end()) continue;
    if (attempt.place == Place::kAside) continue;
    const std::uint64_t bytes = memory_of(attempt);
    const bool computes = !attempt.halted_at;
    OnCard one{.attempt = id, .adopted = {}, .vram_bytes = bytes / cards.size()};
    if (attempt.order.adopted) one.adopted = attempt.order.adopted->pid;
    one.load_percent = computes ? attempt.plan.load_percent : 0;
    one.grows = computes && bytes < attempt.plan.vram_bytes;
    found.push_back(one);
  }
  return found;
}

// Whatever ends it first: itself, its time limit, or a request to stop.
void SimLauncher::reschedule(Attempt& attempt) {
  const bool halted = attempt.halted_at.has_value();
  attempt.next = halted ? Boot::max() : attempt.natural_end;
  attempt.timed_out = false;
  attempt.stopping = false;
  const Seconds limit = attempt.order.time.limit;
  const Boot limit_at = attempt.started_boot + attempt.halted_for + limit;
  if (!halted && limit > Seconds{0} && limit_at < attempt.next) {
    attempt.next = limit_at;
    attempt.timed_out = true;
  }
  if (attempt.stop_at && *attempt.stop_at < attempt.next) {
    attempt.next = *attempt.stop_at;
    attempt.timed_out = false;
    attempt.stopping = true;
    attempt.signal = attempt.plan.ignores_term ? 9 : 15;
  }
  attempt.saved = attempt.save_at && *attempt.save_at < attempt.next;
  if (attempt.saved) {
    attempt.next = *attempt.save_at;
    attempt.timed_out = attempt.stopping = false;
  }
}

void SimLauncher::halt(AttemptId id) {
  Attempt& attempt = attempts_.at(id);
  if (!attempt.halted_at) attempt.halted_at = now_.boot;
  reschedule(attempt);
}

void SimLauncher::wake(AttemptId id) {
  Attempt& attempt = attempts_.at(id);
  if (!attempt.halted_at) return;
  const Microseconds halted = now_.boot - *attempt.halted_at;
  attempt.halted_at.reset();
  attempt.halted_for += halted;
  attempt.natural_end += halted;
  reschedule(attempt);
}

bool SimLauncher::runs(AttemptId id) const {
  return lives(id) && attempts_.at(id).phase == Phase::kRunning;
}

void SimLauncher::heal_driver() {
  for (const AttemptId id : live_) {
    Plan& plan = attempts_.at(id).plan;
    plan.out = plan.back = MoveFault::kNone;
  }
}

void SimLauncher::forget(JobId job) {
  std::erase_if(attempts_, [job](const auto& entry) { return entry.first.job == job; });
  std::erase_if(live_, [job](const AttemptId& id) { return id.job == job; });
}

void SimLauncher::start(AttemptId id, Attempt& attempt) {
  if (!attempt.plan.cannot_run.empty()) {
    attempt.phase = Phase::kEnded;
    live_.erase(id);
    attempt.ended_at = now_.wall;
    if (attempt.followed) tell_end(id, attempt);
    return;
  }
  Truth& truth = truth_[id];
  ++truth.times_run;
  truth.alive = true;
  truth.adopted = attempt.order.adopted.has_value();
  attempt.phase = Phase::kRunning;
  attempt.started_at = now_.wall;
  attempt.started_boot = now_.boot;
  attempt.natural_end = now_.boot + attempt.plan.run_for;
  reschedule(attempt);
  if (attempt.followed) outbox_.emplace_back(AttemptRunning{id, now_.wall});
}

void SimLauncher::end(AttemptId id, Attempt& attempt) {
  attempt.phase = attempt.plan.supervisor_dies ? Phase::kLost : Phase::kEnded;
  live_.erase(id);
  attempt.ended_at = now_.wall;
  // A job that loses its supervisor goes on by itself, too.
  const bool goes_on = attempt.let_go || attempt.plan.supervisor_dies;
  if (attempt.order.adopted && !goes_on && adopted_gone_) {
    adopted_gone_(attempt.order.adopted->pid);
  }
  Truth& truth = truth_[id];
  truth.alive = false;
  if (!attempt.plan.supervisor_dies && !attempt.stopping && !attempt.timed_out)
    truth.exit_code = attempt.saved ? kSavedExitCode : attempt.plan.exit_code;
  if (attempt.followed) tell_end(id, attempt);
}

void SimLauncher::tell_end(AttemptId id, const Attempt& attempt) {
  if (attempt.phase == Phase::kLost) {
    outbox_.emplace_back(SupervisorLost{id, now_.wall});
    return;
  }
  AttemptFinished report{.attempt = id};
  report.ended_at = attempt.ended_at;
  if (!attempt.plan.cannot_run.empty()) {
    report.cause = Cause::kLaunch;
    report.exit_code = 127;
    report.message = attempt.plan.cannot_run;
    outbox_.emplace_back(std::move(report));
    return;
  }
  if (attempt.stopping) {
    report.cause = Cause::kSignal;
    report.signal = attempt.signal;
  } else if (attempt.timed_out) {
    report.cause = Cause::kTimeout;
    report.signal = 15;
  } else {
    report.exit_code = attempt.saved ? kSavedExitCode : attempt.plan.exit_code;
    if (attempt.out_of_memory && !attempt.saved && !attempt.order.adopted)
      report.cause = Cause::kCudaOom;
  }
  report.let_go = attempt.let_go && !attempt.stopping && !attempt.timed_out;
  if (attempt.order.adopted) report.exit_code.reset();
  report.started_at = attempt.started_at;
  outbox_.emplace_back(std::move(report));
}

void SimLauncher::advance(Now now) {
  now_ = now;
  std::vector<AttemptId> gone;
  const std::set<AttemptId> live = live_;
  for (const AttemptId id : live) {
    Attempt& attempt = attempts_.at(id);
    if (attempt.phase == Phase::kRequested && attempt.next <= now.boot) {
      if (!attempt.plan.launch_error.empty() || !attempt.plan.claims) {
        outbox_.emplace_back(AttemptNeverRan{id, attempt.plan.launch_error, attempt.plan.no_room});
        gone.push_back(id);
        continue;
      }
      start(id, attempt);
    }
    if (attempt.phase == Phase::kRunning && attempt.next <= now.boot) end(id, attempt);
  }
  for (const AttemptId id : gone) erase(id);
  for (LauncherReport& report : std::exchange(outbox_, {})) sink_(std::move(report));
}

std::optional<Boot> SimLauncher::next_event() const {
  std::optional<Boot> next;
  if (!outbox_.empty()) next = now_.boot;
  for (const AttemptId id : live_) {
    const Attempt& attempt = attempts_.at(id);
    const Boot soonest = attempt.next;
    if (soonest != Boot::max() && (!next || soonest < *next)) next = soonest;
  }
  return next;
}

void SimLauncher::daemon_died() {
  outbox_.clear();
  std::erase_if(attempts_,
                [](const auto& entry) { return entry.second.phase == Phase::kRequested; });
  std::erase_if(live_, [this](const AttemptId& id) { return !attempts_.contains(id); });
  for (auto& [id, attempt] : attempts_) attempt.followed = false;
}

void SimLauncher::machine_died() {
  daemon_died();
  for (auto& [id, attempt] : attempts_) {
    if (attempt.phase != Phase::kRunning) continue;
    attempt.phase = Phase::kLost;
    truth_[id].alive = false;
  }
  live_.clear();
}

void SimLauncher::repeat_reports() {
  for (const auto& [id, attempt] : attempts_) {
    if (!attempt.followed || attempt.phase == Phase::kRequested) continue;
    outbox_.emplace_back(AttemptRunning{id, attempt.started_at});
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
