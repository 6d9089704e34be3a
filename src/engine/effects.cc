// What follows a commit: launches, answers, and all that has to be done outside.
#include "base/check.h"
#include "core/state/state.h"
#include "engine/engine.h"
#include "engine/launch_order.h"
#include "engine/refusal_error.h"

namespace gpusched {
namespace {

// Launches made ready while their commit is under way; more would not be done in that time.
constexpr std::size_t kPreparedPerTurn = 16;

}  // namespace

LaunchOrder Engine::order_of(const Launch& launch) const {
  const Job* job = state_.find(launch.attempt.job);
  CHECK(job != nullptr && job->current_attempt() == launch.attempt);
  return launch_order_of(state_, *job, options_);
}

void Engine::prepare_launches() {
  CHECK(committing_);
  for (const Effect& effect : flight_.effects) {
    if (flight_.prepared.size() == kPreparedPerTurn) return;
    const auto* launch = std::get_if<Launch>(&effect);
    if (launch == nullptr) continue;
    flight_.prepared.push_back(order_of(*launch));
    site_of(launch->attempt.job).launcher.prepare(flight_.prepared.back());
  }
}

void Engine::launch_all(Flight& flight) {
  auto prepared = flight.prepared.begin();
  for (const Effect& effect : flight.effects) {
    const auto* launch = std::get_if<Launch>(&effect);
    if (launch == nullptr) continue;
    if (prepared != flight.prepared.end()) {
      site_of(launch->attempt.job).launcher.launch(std::move(*prepared++));
    } else {
      site_of(launch->attempt.job).launcher.launch(order_of(*launch));
    }
  }
}

// Launches first: an answer costs them more time than they cost an answer.
void Engine::deliver(Flight flight) {
  launch_all(flight);
  alarms_looked_ = std::max(alarms_looked_, flight.looked);
  for (const auto& asked : flight.recorded) asked->recorded = true;
  for (auto& [position, answer] : flight.answers) {
    const AnswerFn& reply = flight.events[position].answer;
    if (!reply) continue;
    if (const auto* refusal = std::get_if<Refusal>(&answer)) {
      reply(failure(error_of(*refusal)));
    } else {
      reply(std::move(answer));
    }
  }
  for (const Effect& effect : flight.effects) run_effect(effect);
  if (untold_ && !flight.untold.empty()) untold_(flight.untold);
  for (Event& event : flight.follow_up) queue_.push_back({std::move(event), {}});
}

void Engine::run_effect(const Effect& effect) {
  if (const auto* stop = std::get_if<StopAttempt>(&effect)) {
    site_of(stop->attempt.job).launcher.stop(stop->attempt, stop->grace);
  } else if (const auto* time = std::get_if<ChangeTime>(&effect)) {
    const Job* job = state_.find(time->attempt.job);
    if (job != nullptr && job->active())
      site_of(time->attempt.job).launcher.change_time(time->attempt, job->spec->time);
  } else if (const auto* forget = std::get_if<ForgetJob>(&effect)) {
    site_of(forget->job).launcher.forget(forget->job);
  } else if (const auto* save = std::get_if<AskToSave>(&effect)) {
    const Job* job = state_.find(save->attempt.job);
    if (job == nullptr || !job->active() || !job->spec->saves) return;
    site_of(save->attempt.job)
        .launcher.ask_to_save(save->attempt, *job->spec->saves, job->spec->time.grace);
  } else if (const auto* aside = std::get_if<MoveAside>(&effect)) {
    site_of(aside->attempt.job)
        .mover.move_aside(move_order(aside->attempt, aside->checkpoint, aside->awake));
  } else if (const auto* gone = std::get_if<LetGo>(&effect)) {
    site_of(gone->attempt.job).launcher.let_go(gone->attempt);
  } else if (const auto* out = std::get_if<SendMessage>(&effect)) {
    if (send_) send_(out->message);
  } else if (const auto* gone_for_good = std::get_if<MessageLost>(&effect)) {
    if (lost_) lost_(gone_for_good->message, gone_for_good->why);
  } else if (const auto* back = std::get_if<BringBack>(&effect)) {
    site_of(back->attempt.job)
        .mover.bring_back(move_order(back->attempt, back->checkpoint, back->awake));
  }
}

MoveOrder Engine::move_order(AttemptId attempt, bool checkpoint, bool awake) const {
  MoveOrder order{.attempt = attempt, .checkpoint = checkpoint, .awake = awake};
  const Job* job = state_.find(attempt.job);
  const Grant* grant = job == nullptr ? nullptr : grant_of(*job);
  if (grant == nullptr) return order;
  order.owner = job->owner.uid;
  if (const auto& lease = job->spec->lease) {
    order.holder = {lease->pid, lease->pid_started};
    for (const JobId id : state_.leases().live()) {
      const Job& other = *state_.find(id);
      const int pid = other.active() ? other.spec->lease->pid : 0;
      if (pid > 0 && pid != lease->pid) order.apart.push_back(pid);
    }
  }
  for (const CardGrant& held : grant->cards) {
    const auto position = state_.index_of(held.card);
    if (held.vram_bytes >= kUnknownHold) continue;  // What it has is looked at when it moves.
    if (position) order.room.push_back({state_.cards()[*position].uuid, held.vram_bytes});
  }
  if (const Aside* aside = aside_of(*job)) order.host_bytes = aside->host_bytes;
  return order;
}

}  // namespace gpusched
