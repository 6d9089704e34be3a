#include "sim/sim_mover.h"

#include <algorithm>
#include <utility>

namespace gpusched {
namespace {

using Place = SimLauncher::Place;
using MoveFault = SimLauncher::MoveFault;
constexpr Microseconds kMoment{1000};

Microseconds copying(std::uint64_t bytes, std::uint64_t bytes_per_second) {
  return Microseconds{static_cast<std::int64_t>(
      bytes_per_second == 0 ? 0 : bytes / 1000 * 1'000'000 / (bytes_per_second / 1000))};
}

}  // namespace

void SimMover::add(MoveOrder order, bool out) {
  if (!processes_.lives(order.attempt)) return;
  Moves& moves = moves_[order.attempt];
  if (moves.now && moves.now->out == out && moves.now->order.checkpoint == order.checkpoint) {
    moves.now->wanted = true;
    return;
  }
  Move move{std::move(order), out};
  if (moves.now || !processes_.runs(move.order.attempt)) {
    moves.next = std::move(move);
  } else {
    begin(moves, std::move(move));
  }
}

Microseconds SimMover::time_for(const Move& move) const {
  const AttemptId id = move.order.attempt;
  if (!move.order.checkpoint || !move.room) return kMoment;
  const bool aside = processes_.place_of(id) == Place::kAside;
  if (move.out == aside) return kMoment;  // It is there already.
  const std::uint64_t bytes = processes_.memory_of(id);
  if (!move.out) return kMoment + rates_.fixed + copying(bytes, rates_.in_bytes_per_second);
  switch (processes_.plan_of(id).out) {
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

void SimMover::begin(Moves& moves, Move move) {
  const AttemptId id = move.order.attempt;
  const bool aside = processes_.place_of(id) == Place::kAside;
  move.began = now_.boot;
  move.room = move.out || !aside || !room_ || room_(move.order);
  move.due = now_.boot + time_for(move);
  if (move.out) processes_.halt(id);
  // A job that returns takes its room from the first moment on.
  if (!move.out && aside && move.room) processes_.put(id, Place::kArriving);
  moves.now = std::move(move);
}

void SimMover::complete(Moves& moves) {
  const Move move = *std::exchange(moves.now, std::nullopt);
  MoverReport report = carry_out(move);
  if (move.wanted && processes_.follows(move.order.attempt)) outbox_.push_back(std::move(report));
  if (moves.next) begin(moves, *std::exchange(moves.next, std::nullopt));
}

MoverReport SimMover::carry_out(const Move& move) {
  const AttemptId id = move.order.attempt;
  if (processes_.place_of(id) == Place::kArriving) processes_.put(id, Place::kAside);
  const bool aside = processes_.place_of(id) == Place::kAside;
  const bool through_driver = move.order.checkpoint && move.out != aside;
  MoveTimes times{.whole = now_.boot - move.began};
  (move.out ? times.checkpoint : times.restore) = through_driver ? times.whole : Microseconds{0};
  const std::uint64_t bytes = processes_.memory_of(id);
  const std::uint64_t copied = through_driver ? bytes : 0;
  if (!move.room) return MoveFailed{id, MoveLeft::kAside, false, "there is no room on its cards"};
  if (through_driver) {
    switch (move.out ? processes_.plan_of(id).out : processes_.plan_of(id).back) {
      case MoveFault::kNever:
        processes_.wake(id);
        return MoveFailed{id, MoveLeft::kRunning, true, "the driver does not move it"};
      case MoveFault::kNotNow:
        if (!move.out) return MoveFailed{id, MoveLeft::kAside, false, "the driver is busy"};
        processes_.wake(id);
        return MoveFailed{id, MoveLeft::kRunning, false, "its work on the card did not end"};
      case MoveFault::kLost:
        return MoveFailed{id, MoveLeft::kLost, false, "it did not survive the move"};
      case MoveFault::kNone:
        break;
    }
  }
  if (move.out) {
    if (!aside) processes_.put(id, move.order.checkpoint ? Place::kAside : Place::kFrozen);
    return MovedAside{id, times, move.order.checkpoint ? bytes : 0, copied};
  }
  processes_.put(id, Place::kOnCards);
  processes_.wake(id);
  return BroughtBack{id, times, copied};
}

void SimMover::advance(Now now) {
  now_ = now;
  std::erase_if(moves_, [this](const auto& entry) { return !processes_.lives(entry.first); });
  for (auto& [id, moves] : moves_) {
    if (moves.now && moves.now->due <= now.boot) complete(moves);
    if (!moves.now && moves.next && processes_.runs(id)) {
      begin(moves, *std::exchange(moves.next, std::nullopt));
    }
  }
  std::erase_if(moves_, [](const auto& entry) { return !entry.second.now && !entry.second.next; });
  for (MoverReport& report : std::exchange(outbox_, {})) sink_(std::move(report));
}

std::optional<Boot> SimMover::next_event() const {
  std::optional<Boot> next;
  if (!outbox_.empty()) next = now_.boot;
  for (const auto& [id, moves] : moves_) {
    if (moves.now && (!next || moves.now->due < *next)) next = moves.now->due;
  }
  return next;
}

void SimMover::daemon_died() {
  outbox_.clear();
  for (auto& [id, moves] : moves_) {
    if (moves.now) moves.now->wanted = false;
    moves.next.reset();
  }
}

}  // namespace gpusched
