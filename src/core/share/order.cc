#include "core/share/order.h"

#include "core/share/fair_share.h"
#include "core/state/pending.h"

namespace gpusched {

std::vector<JobId> waiting_in_order(const StateView& state, std::size_t most, Now now) {
  std::vector<JobId> waiting;
  PendingWalk walk(state.pending(), standings_of(state, now));
  while (waiting.size() < most) {
    const OrderKey* key = walk.next();
    if (key == nullptr) break;
    waiting.push_back(key->job);
    walk.take();
  }
  for (const bool held : {false, true}) {
    for (const JobId id : state.asleep()) {
      if (waiting.size() >= most) return waiting;
      if (std::holds_alternative<Held>(state.find(id)->state) == held) waiting.push_back(id);
    }
  }
  return waiting;
}

std::optional<std::size_t> position_of(const StateView& state, JobId id, std::size_t most,
                                       Now now) {
  if (!state.pending().contains(id)) return std::nullopt;
  PendingWalk walk(state.pending(), standings_of(state, now));
  for (std::size_t position = 1; position <= most; ++position) {
    const OrderKey* key = walk.next();
    if (key == nullptr) break;
    if (key->job == id) return position;
    walk.take();
  }
  return std::nullopt;
}

}  // namespace gpusched
