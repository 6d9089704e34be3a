#include "gpu/link_groups.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(LinkGroups, LinkedCardsAreOneGroupAndOthersHaveNone) {
  const std::vector<std::vector<int>> links = {{2}, {}, {0, 4}, {9}, {2}};
  std::vector<watch::NumberedCard> seen;
  std::vector<Card> cards;
  for (std::size_t i = 0; i < links.size(); ++i) {
    cards.emplace_back().pci = "pci-" + std::to_string(i);
    watch::NumberedCard& card = seen.emplace_back();
    for (const int other : links[i]) {
      card.identity.nvlink_neighbours.push_back("pci-" + std::to_string(other));
    }
  }
  set_link_groups(seen, cards);
  EXPECT_EQ(cards[0].link_group, 0);
  EXPECT_EQ(cards[2].link_group, 0);
  EXPECT_EQ(cards[4].link_group, 0);
  EXPECT_FALSE(cards[1].link_group.has_value());
  EXPECT_FALSE(cards[3].link_group.has_value()) << "The other end is not one of ours.";
}

}  // namespace
}  // namespace gpusched
