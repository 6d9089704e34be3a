// The place of a waiting job in the queue. Counting far back takes long, so only the first places
// are counted for each question; the others are as they were a moment ago.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/explain/look_ahead.h"
#include "core/state/state_view.h"

namespace gpusched {

class QueuePositions {
 public:
  // So many are counted each time: those that a look ahead knows, too.
  static constexpr std::size_t kCountedNow = kLookedAheadMost;
  // Further back nobody is told a place.
  static constexpr std::size_t kMost = 20'000;
  static constexpr Microseconds kOldest = Seconds{1};

  // 1 for the next in order. None: it is not eligible, or further back than kMost.
  std::optional<std::uint64_t> of(const StateView& state, JobId id, Now now);

 private:
  std::unordered_map<JobId, std::uint64_t> counted_;
  std::optional<Boot> counted_at_;
};

}  // namespace gpusched
