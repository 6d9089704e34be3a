#include "core/state/round_robin.h"

#include <algorithm>
#include <utility>

namespace gpusched {

void CardTurns::admit(const std::vector<Card>& cards) {
  std::uint64_t least = 0;
  if (!grants_.empty()) {
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    least = std::ranges::min_element(grants_, by_count)->second;
  }
  for (const Card& card : cards) grants_.try_emplace(card.number, least);
}

void CardTurns::count(const Grant& grant) {
  for (const CardGrant& held : grant.cards) ++grants_[held.card];
}

std::uint64_t CardTurns::of(CardNumber card) const {
  const auto found = grants_.find(card);
  return found == grants_.end() ? 0 : found->second;
}

void order_by_turns(std::vector<std::size_t>& positions, const std::vector<Card>& cards,
                    const CardTurns& turns, const std::map<CardNumber, std::uint64_t>& more) {
  const auto grants_of = [&](std::size_t position) {
    const CardNumber card = cards[position].number;
    const auto extra = more.find(card);
    return turns.of(card) + (extra == more.end() ? 0 : extra->second);
  };
  std::ranges::sort(positions, [&](std::size_t a, std::size_t b) {
    return std::pair(grants_of(a), a) < std::pair(grants_of(b), b);
  });
}

}  // namespace gpusched
