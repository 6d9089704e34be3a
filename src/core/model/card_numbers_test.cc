#include "core/model/card_numbers.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

Card card(const char* uuid, const char* pci) {
  Card card;
  card.uuid = uuid;
  card.pci = pci;
  return card;
}

std::vector<int> numbers(KnownCards& known, std::vector<Card> cards) {
  std::vector<int> out;
  for (const Card& each : number_cards(known, std::move(cards)))
    out.push_back(number_of(each.number));
  return out;
}

const Card kA = card("GPU-a", "01"), kB = card("GPU-b", "02"), kC = card("GPU-c", "03");

TEST(CardNumbers, AreCountedInPciOrderWhenAMachineIsFirstSeen) {
  KnownCards known;
  EXPECT_EQ(numbers(known, {kA, kB, kC}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(known.size(), 3U);
}

TEST(CardNumbers, ARemovedFirstCardShiftsNobody) {
  KnownCards known;
  numbers(known, {kA, kB, kC});
  EXPECT_EQ(numbers(known, {kB, kC}), (std::vector<int>{1, 2}));
  EXPECT_EQ(numbers(known, {kA, kB, kC}), (std::vector<int>{0, 1, 2})) << "when it is back";
}

TEST(CardNumbers, AMovedCardKeepsItsNumber) {
  KnownCards known;
  numbers(known, {kA, kB});
  EXPECT_EQ(numbers(known, {card("GPU-b", "01"), card("GPU-a", "02")}), (std::vector<int>{1, 0}));
}

TEST(CardNumbers, ANewCardGetsTheLowestFreeNumber) {
  KnownCards known;
  numbers(known, {kA, kB});
  EXPECT_EQ(numbers(known, {card("GPU-new", "00"), kA, kB}), (std::vector<int>{2, 0, 1}));
}

TEST(CardNumbers, AMissingCardsNumberIsKeptForIt) {
  KnownCards known;
  numbers(known, {kA, kB});
  EXPECT_EQ(numbers(known, {kB, kC}), (std::vector<int>{1, 2}));
}

TEST(CardNumbers, AReplacementInTheSameSlotTakesTheNumberOver) {
  KnownCards known;
  numbers(known, {kA, kB});
  EXPECT_EQ(numbers(known, {card("GPU-new", "01"), kB}), (std::vector<int>{0, 1}));
  EXPECT_EQ(known.size(), 2U);
}

TEST(CardNumbers, AnotherMachineIsCountedAnew) {
  KnownCards known;
  numbers(known, {kA, kB});
  EXPECT_EQ(numbers(known, {kC}), std::vector<int>{0});
  EXPECT_EQ(known.size(), 1U);
}

TEST(CardNumbers, NoCardAtAllForgetsNothing) {
  KnownCards known;
  numbers(known, {kA, kB});
  numbers(known, {});
  EXPECT_EQ(numbers(known, {kB}), std::vector<int>{1});
}

}  // namespace
}  // namespace gpusched
