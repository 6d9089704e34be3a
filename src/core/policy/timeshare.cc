#include "core/policy/timeshare.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace gpusched::policy {
namespace {

// Limits of attained card-time. The first lets tries and short jobs through at once, the second
// a working day on eight cards; above, each level doubles (docs/simulate.md has the figures).
constexpr std::array<std::chrono::hours, 6> kLevels = {
    std::chrono::hours{2},    std::chrono::hours{72},   std::chrono::hours{800},
    std::chrono::hours{1600}, std::chrono::hours{3200}, std::chrono::hours{6400}};

}  // namespace

int timeshare_level(Microseconds attained, int cards) {
  const auto above = std::ranges::upper_bound(kLevels, attained * cards);
  return static_cast<int>(above - kLevels.begin());
}

void timeshare_sort(std::vector<Contender*>& jobs) {
  std::ranges::sort(jobs, {}, [](const Contender* one) {
    return std::tuple(one->band, timeshare_level(one->attained, one->cards), one->job);
  });
}

Microseconds timeshare_next(Order running) {
  Microseconds next = Microseconds::max();
  for (const Contender* one : running) {
    if (one->cards == 0) continue;  // Who holds no card attains nothing.
    const auto level = static_cast<std::size_t>(timeshare_level(one->attained, one->cards));
    if (level == kLevels.size()) continue;
    const Microseconds each =
        (Microseconds{kLevels[level]} + Microseconds{one->cards - 1}) / one->cards;
    next = std::min(next, each - one->attained);
  }
  return next;
}

}  // namespace gpusched::policy
