// What the hostile world has played, counted from what the daemon told after its commits.
#include <utility>

#include "core/model/kind.h"
#include "sim/fault_world.h"

namespace gpusched {

void FaultWorld::note_acts(const Job& job) {
  Acts& acts = tally_.acts;
  const AttemptId attempt = job.current_attempt();
  if (const auto* ended = std::get_if<Ended>(&job.state)) {
    if (kind_of(job).not_let_go == nullptr && ended->message.starts_with("let go")) ++acts.let_go;
    return;
  }
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr) return;
  if (running->stopping == StopReason::kPressure && pressed_.insert(attempt).second) ++acts.evicted;
  if (presence_of(job) == nullptr) return;
  const auto& failed = running->presence->failed;
  if (!is_aside(job)) {
    if (paused_by_hand_.erase(attempt) > 0 && !failed) ++acts.resumed;
    if (pressed_.erase(attempt) > 0 && !failed) ++acts.returned_after_pressure;
  }
  if (failed && std::exchange(failed_at_[attempt], failed->at) != failed->at) ++acts.moves_failed;
  const Aside* aside = aside_of(job);
  if (aside == nullptr || aside->phase != AsidePhase::kPaused) return;
  if (aside->by_hand) paused_by_hand_.insert(attempt);
  const auto [since, is_new] = away_since_.try_emplace(attempt, aside->since);
  if (!is_new && std::exchange(since->second, aside->since) == aside->since) return;
  const bool frozen = aside->mechanism == Mechanism::kFreeze;
  if (aside->by_hand) ++(frozen ? acts.frozen_by_hand : acts.moved_out_by_hand);
  if (aside->why == AsideWhy::kStill) ++acts.stood_still;
  if (aside->over_limit_until) ++acts.stopped_at_limit;
  if (aside->why == AsideWhy::kPressure && pressed_.insert(attempt).second) ++acts.evicted;
}

std::vector<std::pair<const char*, int>> FaultWorld::Acts::named() const {
  return {{"jobs frozen by hand", frozen_by_hand},
          {"jobs moved out by hand", moved_out_by_hand},
          {"jobs resumed", resumed},
          {"moves that failed", moves_failed},
          {"looks at growing cards", grew_beyond},
          {"jobs kept off growing cards", kept_off},
          {"jobs evicted under pressure", evicted},
          {"jobs that stood still", stood_still},
          {"returns after pressure", returned_after_pressure},
          {"jobs out of memory", out_of_memory},
          {"jobs stopped at their limit", stopped_at_limit},
          {"processes adopted", adopted},
          {"processes adopted by rule", adopted_by_rule},
          {"processes let go", let_go}};
}

void FaultWorld::Acts::add(const Acts& other) {
  frozen_by_hand += other.frozen_by_hand;
  moved_out_by_hand += other.moved_out_by_hand;
  resumed += other.resumed;
  moves_failed += other.moves_failed;
  grew_beyond += other.grew_beyond;
  kept_off += other.kept_off;
  evicted += other.evicted;
  stood_still += other.stood_still;
  returned_after_pressure += other.returned_after_pressure;
  out_of_memory += other.out_of_memory;
  stopped_at_limit += other.stopped_at_limit;
  adopted += other.adopted;
  adopted_by_rule += other.adopted_by_rule;
  let_go += other.let_go;
}

}  // namespace gpusched
