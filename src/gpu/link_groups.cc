#include "gpu/link_groups.h"

#include <algorithm>

namespace gpusched {

void set_link_groups(const std::vector<watch::NumberedCard>& seen, std::vector<Card>& cards) {
  const auto at_address = [&cards](const std::string& pci) {
    return std::ranges::find(cards, pci, &Card::pci);
  };
  for (std::size_t i = 0; i < cards.size() && i < seen.size(); ++i) {
    for (const std::string& pci : seen[i].identity.nvlink_neighbours) {
      const auto neighbour = at_address(pci);
      if (neighbour == cards.end()) continue;
      const int mine = cards[i].link_group.value_or(static_cast<int>(i));
      const int theirs =
          neighbour->link_group.value_or(static_cast<int>(neighbour - cards.begin()));
      cards[i].link_group = mine;
      neighbour->link_group = theirs;
      // One group from two: the smaller number stays.
      for (Card& card : cards) {
        if (card.link_group == std::max(mine, theirs)) card.link_group = std::min(mine, theirs);
      }
    }
  }
}

}  // namespace gpusched
