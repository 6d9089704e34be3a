#include "core/explain/waiting_counts.h"

#include <algorithm>
#include <limits>

#include "core/decide/limits.h"

namespace gpusched {
namespace {

WaitsFor waits_for(Limited limited) {
  switch (limited) {
    case Limited::kMachine:
    case Limited::kGroup:
    case Limited::kGroupPaused:
    case Limited::kArray:
      return WaitsFor::kLimit;
    case Limited::kGuard:
      return WaitsFor::kRelease;
    case Limited::kQuota:
      return WaitsFor::kQuota;
    case Limited::kDisk:
      return WaitsFor::kDisk;
    case Limited::kNo:
      break;
  }
  return WaitsFor::kRoom;
}

// Jobs of one priority are in the order in which they came: the first of each is looked at.
std::optional<Wall> oldest_in(const StateView& state, const Shape& shape) {
  std::optional<Wall> oldest;
  constexpr JobId kLast{std::numeric_limits<std::uint64_t>::max()};
  for (auto at = shape.jobs.begin(); at != shape.jobs.end();) {
    const Wall submitted = state.find(at->job)->submitted_at;
    oldest = std::min(oldest.value_or(submitted), submitted);
    OrderKey end = *at;
    end.submitted_at = Wall::max();
    end.rank = end.job = kLast;
    at = shape.jobs.upper_bound(end);
  }
  return oldest;
}

}  // namespace

const char* waits_for_name(WaitsFor what) {
  switch (what) {
    case WaitsFor::kRelease:
      return "held";
    case WaitsFor::kTimeOrJobs:
      return "time_or_jobs";
    case WaitsFor::kLimit:
      return "limit";
    case WaitsFor::kQuota:
      return "quota";
    case WaitsFor::kDisk:
      return "disk";
    case WaitsFor::kRoom:
      return "room";
    case WaitsFor::kUnlooked:
      return "unlooked";
  }
  return "room";
}

WaitingCounts count_waiting(const StateView& state, Now now, std::size_t shapes_most) {
  WaitingCounts counts;
  counts.of(WaitsFor::kRelease) = state.counts().held;
  counts.of(WaitsFor::kTimeOrJobs) = state.asleep().size() - state.counts().held;
  const Tentative free(state);
  std::uint64_t left = state.pending().size();
  PendingWalk walk(state.pending());
  for (std::size_t i = 0; i < shapes_most; ++i) {
    const OrderKey* first = walk.next();
    if (first == nullptr) break;
    const Shape& shape = walk.shape();
    counts.of(waits_for(limited(state, free, *state.find(first->job), now))) += shape.jobs.size();
    left -= shape.jobs.size();
    const auto oldest = oldest_in(state, shape);
    if (oldest) counts.oldest = std::min(counts.oldest.value_or(*oldest), *oldest);
  }
  counts.of(WaitsFor::kUnlooked) = left;
  return counts;
}

}  // namespace gpusched
