#include "core/state/asked_looks.h"

namespace gpusched {

bool AskedLooks::ask(CardNumber card, Boot now) {
  const auto [found, is_new] = asked_.try_emplace(card, Asked{.at = now});
  Asked& asked = found->second;
  if (is_new) return true;
  if (!asked.arrived && now - asked.at < kAskAgain) return false;
  asked = {.at = now};
  return true;
}

void AskedLooks::arrived(CardNumber card, Boot taken, Boot now) {
  const auto found = asked_.find(card);
  if (found == asked_.end() || found->second.arrived) return;
  if (taken < found->second.at || now - taken > kLatest) return;
  found->second.arrived = now;
}

bool AskedLooks::answered(CardNumber card, Boot now) const {
  const auto found = asked_.find(card);
  return found != asked_.end() && found->second.arrived && now - *found->second.arrived <= kFresh;
}

void AskedLooks::advance(Boot now) {
  std::erase_if(asked_, [now](const auto& entry) {
    const Asked& asked = entry.second;
    return asked.arrived ? now - *asked.arrived > kFresh : now - asked.at >= kAskAgain;
  });
}

std::optional<Boot> AskedLooks::next_deadline() const {
  std::optional<Boot> next;
  for (const auto& [card, asked] : asked_) {
    if (asked.arrived) continue;
    const Boot again = asked.at + kAskAgain;
    if (!next || again < *next) next = again;
  }
  return next;
}

}  // namespace gpusched
