#include "api/queue_positions.h"

#include "core/share/order.h"
#include "core/state/pending.h"

namespace gpusched {

std::optional<std::uint64_t> QueuePositions::of(const StateView& state, JobId id, Now now) {
  if (!state.pending().contains(id)) return std::nullopt;
  if (const auto near = position_of(state, id, kCountedNow, now)) return near;
  if (state.pending().size() <= kCountedNow) return std::nullopt;
  if (!counted_at_ || now.boot - *counted_at_ > kOldest) {
    counted_.clear();
    for (const JobId waiting : waiting_in_order(state, kMost, now)) {
      if (!state.pending().contains(waiting)) break;  // Those that are not eligible come last.
      counted_.emplace(waiting, counted_.size() + 1);
    }
    counted_at_ = now.boot;
  }
  const auto found = counted_.find(id);
  return found == counted_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace gpusched
