#include "api/failed_attempts.h"

#include <algorithm>
#include <chrono>

namespace gpusched {

std::optional<Seconds> FailedAttempts::wait_for(const std::string& place, Now now) const {
  const auto found = places_.find(place);
  if (found == places_.end() || found->second.failures < kMost) return std::nullopt;
  const auto left = found->second.since + kWithin - now.boot;
  if (left <= left.zero()) return std::nullopt;
  return std::chrono::ceil<Seconds>(left);
}

void FailedAttempts::failed(const std::string& place, Now now) {
  if (!places_.contains(place)) make_room(now);
  Place& one = places_.try_emplace(place, Place{now.boot, 0}).first->second;
  if (now.boot - one.since >= kWithin) one = {now.boot, 0};
  one.failures = std::min(one.failures + 1, kMost);
}

// Bounds memory where somebody has very many addresses.
void FailedAttempts::make_room(Now now) {
  if (places_.size() < kPlaces) return;
  std::erase_if(places_,
                [now](const auto& entry) { return now.boot - entry.second.since >= kWithin; });
  if (places_.size() < kPlaces) return;
  // Who has failed least often matters least.
  places_.erase(std::ranges::min_element(places_, {},
                                         [](const auto& entry) { return entry.second.failures; }));
}

}  // namespace gpusched
