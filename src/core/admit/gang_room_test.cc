#include "core/admit/gang_room.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

std::vector<Card> nodes_of_four(int nodes) {
  std::vector<Card> cards(static_cast<std::size_t>(nodes) * 4);
  for (std::size_t i = 0; i < cards.size(); ++i) cards[i].node = static_cast<int>(i / 4);
  return cards;
}

using Cards = std::vector<std::size_t>;

TEST(GangRoom, OnOneMachineAnyCardsDoInTheOrderOffered) {
  const std::vector<Card> cards(4);
  GangRoom room(cards);
  room.offer(3);
  room.offer(0);
  room.offer(2);
  EXPECT_TRUE(room.holds(3));
  EXPECT_FALSE(room.holds(4));
  EXPECT_EQ(room.choose(2), (Cards{3, 0}));
}

TEST(GangRoom, AGangStaysInTheTightestNodeThatHoldsIt) {
  const std::vector<Card> cards = nodes_of_four(3);
  GangRoom room(cards);
  for (const std::size_t card : {0, 4, 5, 8, 9, 10}) room.offer(card);
  EXPECT_EQ(room.choose(1), (Cards{0}));
  EXPECT_EQ(room.choose(2), (Cards{4, 5}));
  EXPECT_EQ(room.choose(3), (Cards{8, 9, 10}));
  EXPECT_FALSE(room.holds(4));
}

TEST(GangRoom, ALargerOneTakesWholeNodesAndTheRestInOneMore) {
  const std::vector<Card> cards = nodes_of_four(3);
  GangRoom room(cards);
  for (const std::size_t card : {0, 1, 4, 5, 6, 7}) room.offer(card);
  EXPECT_TRUE(room.holds(6));
  EXPECT_EQ(room.choose(6), (Cards{0, 1, 4, 5, 6, 7}));
  EXPECT_FALSE(room.holds(7));
  EXPECT_FALSE(room.holds(8));
  for (const std::size_t card : {8, 9, 10, 11}) room.offer(card);
  EXPECT_EQ(room.choose(8), (Cards{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(room.choose(9), (Cards{0, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_FALSE(room.holds(11));
}

}  // namespace
}  // namespace gpusched
