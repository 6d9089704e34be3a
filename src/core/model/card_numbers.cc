#include "core/model/card_numbers.h"

#include <algorithm>

namespace gpusched {
namespace {

bool present(const std::vector<Card>& cards, const std::string& uuid) {
  return std::ranges::find(cards, uuid, &Card::uuid) != cards.end();
}

CardNumber lowest_free(const KnownCards& known) {
  int number = 0;
  while (std::ranges::any_of(
      known, [number](const KnownCard& card) { return number_of(card.number) == number; })) {
    ++number;
  }
  return CardNumber{static_cast<std::uint16_t>(number)};
}

// The entry that a new card takes over or adds.
KnownCard& entry_for(KnownCards& known, const Card& card, const std::vector<Card>& cards) {
  const auto replaced = std::ranges::find_if(known, [&](const KnownCard& old) {
    return !card.pci.empty() && old.pci == card.pci && !present(cards, old.uuid);
  });
  if (replaced != known.end()) return *replaced;
  return known.emplace_back(KnownCard{{}, {}, lowest_free(known)});
}

}  // namespace

std::vector<Card> number_cards(KnownCards& known, std::vector<Card> cards) {
  if (cards.empty()) return cards;
  const bool another_machine =
      std::ranges::none_of(known, [&](const KnownCard& card) { return present(cards, card.uuid); });
  if (another_machine) known.clear();
  for (Card& card : cards) {
    const auto found = std::ranges::find(known, card.uuid, &KnownCard::uuid);
    KnownCard& entry = found != known.end() ? *found : entry_for(known, card, cards);
    entry.uuid = card.uuid;
    entry.pci = card.pci;
    card.number = entry.number;
  }
  std::ranges::sort(known, {}, &KnownCard::number);
  return cards;
}

}  // namespace gpusched
