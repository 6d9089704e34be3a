#include "core/preempt/attained_level.h"

#include <algorithm>

#include "core/policy/timeshare.h"

namespace gpusched {

int attained_level(const StateView& state, const Job& job, Now now) {
  const auto* running = std::get_if<Running>(&job.state);
  if (!state.rules().room.timeshare || running == nullptr) return 0;
  const int cards = static_cast<int>(std::max<std::size_t>(1, running->grant.cards.size()));
  return policy::timeshare_level(ran_for(*running, now.wall), cards);
}

}  // namespace gpusched
