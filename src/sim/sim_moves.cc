// Moves in virtual time: they take as long as their bytes, and outlive the daemon that ordered
// them.
#include <utility>

#include "sim/sim_launcher.h"

namespace gpusched {
namespace {

constexpr Microseconds kMoment{1000};

Microseconds copying(std::uint64_t bytes, std::uint64_t bytes_per_second) {
  return Microseconds{static_cast<std::int64_t>(
      bytes_per_second == 0 ? 0 : bytes / 1000 * 1'000'000 / (bytes_per_second / 1000))};
}

}  // namespace

void SimLauncher::move_aside(MoveOrder order) { order_move(std::move(order), true); }
void SimLauncher::bring_back(MoveOrder order) { order_move(std::move(order), false); }

void SimLauncher::heal_driver() {
  for (const AttemptId id : live_) {
    Plan& plan = attempts_.at(id).plan;
    plan.out = plan.back = MoveFault::kNone;
  }
}

void SimLauncher::order_move(MoveOrder order, bool out) {
  const auto found = attempts_.find(order.attempt);
  if (found == attempts_.end()) return;
  Attempt& attempt = found->second;
  if (attempt.phase == Phase::kEnded || attempt.phase == Phase::kLost) return;
  if (attempt.move && attempt.move->out == out &&
      attempt.move->order.checkpoint == order.checkpoint) {
    attempt.move->wanted = true;
    return;
  }
  Moving move{std::move(order), out};
  if (attempt.move || attempt.phase == Phase::kRequested) {
    attempt.next_move = std::move(move);
  } else {
    begin_move(attempt, std::move(move));
  }
}

Microseconds SimLauncher::time_for(const Attempt& attempt, const Moving& move) const {
  if (!move.order.checkpoint || !move.room) return kMoment;
  const bool aside = attempt.place == Place::kAside;
  if (move.out == aside) return kMoment;  // It is there already.
  const std::uint64_t bytes = memory_of(attempt);
  if (!move.out) return kMoment + rates_.fixed + copying(bytes, rates_.in_bytes_per_second);
  switch (attempt.plan.out) {
    case MoveFault::kNever:
      return kMoment;
    case MoveFault::kNotNow:
      return kMoment + Microseconds{move.order.lock_timeout};
    case MoveFault::kNone:
    case MoveFault::kLost:
      break;
  }
  return kMoment + rates_.fixed + copying(bytes, rates_.out_bytes_per_second);
}

void SimLauncher::begin_move(Attempt& attempt, Moving move) {
  move.began = now_.boot;
  move.room = move.out || attempt.place != Place::kAside || !room_ || room_(move.order);
  move.due = now_.boot + time_for(attempt, move);
  if (move.out) halt(attempt);
  attempt.move = std::move(move);
}

void SimLauncher::complete_move(Attempt& attempt) {
  const Moving move = *std::exchange(attempt.move, std::nullopt);
  LauncherReport report = carry_out(attempt, move);
  if (move.wanted && attempt.followed) outbox_.push_back(std::move(report));
  if (attempt.next_move) begin_move(attempt, *std::exchange(attempt.next_move, std::nullopt));
}

LauncherReport SimLauncher::carry_out(Attempt& attempt, const Moving& move) {
  const AttemptId id = move.order.attempt;
  const bool aside = attempt.place == Place::kAside;
  const bool through_driver = move.order.checkpoint && move.out != aside;
  MoveTimes times{.whole = now_.boot - move.began};
  (move.out ? times.checkpoint : times.restore) = through_driver ? times.whole : Microseconds{0};
  const std::uint64_t copied = through_driver ? memory_of(attempt) : 0;
  if (!move.room) return MoveFailed{id, MoveLeft::kAside, false, "there is no room on its cards"};
  if (through_driver) {
    switch (move.out ? attempt.plan.out : attempt.plan.back) {
      case MoveFault::kNever:
        wake(attempt);
        return MoveFailed{id, MoveLeft::kRunning, true, "the driver does not move it"};
      case MoveFault::kNotNow:
        if (!move.out) return MoveFailed{id, MoveLeft::kAside, false, "the driver is busy"};
        wake(attempt);
        return MoveFailed{id, MoveLeft::kRunning, false, "its work on the card did not end"};
      case MoveFault::kLost:
        return MoveFailed{id, MoveLeft::kLost, false, "it did not survive the move"};
      case MoveFault::kNone:
        break;
    }
  }
  if (move.out) {
    if (!aside) attempt.place = move.order.checkpoint ? Place::kAside : Place::kFrozen;
    return MovedAside{id, times, move.order.checkpoint ? memory_of(attempt) : 0, copied};
  }
  attempt.place = Place::kOnCards;
  wake(attempt);
  return BroughtBack{id, times, copied};
}

void SimLauncher::halt(Attempt& attempt) {
  if (!attempt.halted_at) attempt.halted_at = now_.boot;
  reschedule(attempt);
}

void SimLauncher::wake(Attempt& attempt) {
  if (!attempt.halted_at) return;
  const Microseconds halted = now_.boot - *attempt.halted_at;
  attempt.halted_at.reset();
  attempt.halted_for += halted;
  attempt.natural_end += halted;
  reschedule(attempt);
}

}  // namespace gpusched
