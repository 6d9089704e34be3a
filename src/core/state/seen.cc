#include "core/state/seen.h"

namespace gpusched {

const Growth& Seen::growth_on(CardNumber card) const {
  static const Growth kNone;
  const auto found = growth.find(card);
  return found == growth.end() ? kNone : found->second;
}

std::optional<Boot> Seen::left_at(AttemptId attempt) const {
  const auto found = left.find(attempt);
  return found == left.end() ? std::nullopt : std::optional<Boot>(found->second);
}

const AdaptiveCap* Seen::cap_of(const std::string& uuid) const {
  const auto found = caps.find(uuid);
  return found == caps.end() ? nullptr : &found->second;
}

}  // namespace gpusched
