#include "core/preempt/move_limits.h"

#include <algorithm>

#include "core/model/kind.h"

namespace gpusched {

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

}  // namespace gpusched
