#include "core/preempt/move_time.h"

#include <algorithm>

#include "core/model/kind.h"

namespace gpusched {
namespace {

Microseconds slowest_move(const StateView& state, const Job& job, std::uint64_t bytes,
                          MoveRate MoveRates::*direction, const MoveRate& usual) {
  Microseconds longest{0};
  for (const CardGrant& held : grant_of(job)->cards) {
    const MoveRates* known = state.rates_of(held.card);
    const bool measured = known != nullptr && (known->*direction).moves > 0;
    longest = std::max(longest, time_at(measured ? known->*direction : usual, bytes));
  }
  return longest;
}

}  // namespace

Wall movable_from(const StateView& state, const Running& running, Now now) {
  const RoomRules& rules = state.rules().room;
  Wall from = now.wall + (rules.run_least - ran_for(running, now.wall));
  // One that could not be moved is not tired of moving; see leaving_candidate().
  const OnCards* back = running.presence ? running.presence->back() : nullptr;
  if (back != nullptr && !running.presence->failed && !back->stood_still) {
    from = std::max(from, back->since + rules.cool_down);
  }
  return from;
}

bool move_failed_lately(const Job& job, Microseconds lately, Now now) {
  const Presence* presence = presence_of(job);
  return presence != nullptr && presence->failed && ago(presence->failed->at, now) < lately;
}

bool may_move_again(const StateView& state, const Job& job, Now now) {
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr || running->stopping != StopReason::kNone) return false;
  if (is_aside(job)) return false;
  const RoomRules& rules = state.rules().room;
  // Adopted because it sits idle: it had its turn before.
  return job.moves < rules.moves_most && !running->grant.cards.empty() &&
         (adopted_by_rule(job) || movable_from(state, *running, now) <= now.wall);
}

Microseconds time_out(const StateView& state, const Job& job, std::uint64_t bytes) {
  return slowest_move(state, job, bytes, &MoveRates::out, usual_rate_out());
}

Microseconds time_back(const StateView& state, const Job& job, std::uint64_t bytes) {
  return slowest_move(state, job, bytes, &MoveRates::back, usual_rate_back());
}

Wall gone_by(const StateView& state, const Job& job) {
  const Aside& aside = *aside_of(job);
  return aside.since + time_out(state, job, aside.host_bytes);
}

}  // namespace gpusched
