#include "core/admit/admission.h"

#include <gtest/gtest.h>

#include <random>

#include "core/admit/gang_room.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

Card card24() { return machine(1, 24).cards().front(); }

TEST(Admission, TheUndeclaredSideFollowsFromTheDeclaredOne) {
  Needs by_vram{.vram_bytes = 6 * kGiB};
  EXPECT_EQ(grant_on(card24(), by_vram).share_percent, 25);
  Needs by_share{.share_percent = 50};
  EXPECT_NEAR(static_cast<double>(grant_on(card24(), by_share).vram_bytes), 12.0 * kGiB, 1e6);
}

TEST(Admission, AnExclusiveJobHoldsTheWholeCardWhateverItDeclares) {
  const CardGrant grant = grant_on(card24(), {.vram_bytes = 2 * kGiB, .exclusive = true});
  EXPECT_TRUE(grant.whole);
  EXPECT_EQ(grant.vram_bytes, 24 * kGiB);
}

TEST(Admission, WhatTheDriverReservesIsNeverHandedOut) {
  Card card = card24();
  card.reserved_vram_bytes = kGiB;
  EXPECT_FALSE(fits_on(card, {}, grant_on(card, {.vram_bytes = 24 * kGiB}), {}));
  EXPECT_TRUE(fits_on(card, {}, grant_on(card, {.vram_bytes = 23 * kGiB}), {}));
}

TEST(Admission, SharingCanBeTurnedOff) {
  const CardGrant small = grant_on(card24(), {.vram_bytes = kGiB});
  const CardHolds one{.vram_bytes = kGiB, .share_percent = 5, .jobs = 1};
  Rules rules;
  EXPECT_TRUE(fits_on(card24(), one, small, rules));
  rules.sharing = false;
  EXPECT_FALSE(fits_on(card24(), one, small, rules));
}

TEST(Admission, HeadroomIsTheLargerOfItsTwoRules) {
  Card small = card24();
  small.vram_bytes = 4 * kGiB;
  EXPECT_EQ(headroom_of(small, {}), 512ULL << 20);
  EXPECT_GT(headroom_of(card24(), {}), kGiB);
}

TEST(Admission, ConstraintsNameCardsAndModels) {
  EXPECT_TRUE(matches(card24(), CardFilter{.type = "test"}));
  EXPECT_FALSE(matches(card24(), CardFilter{.type = "a100"}));
  EXPECT_FALSE(matches(card24(), CardFilter{.avoid = {{CardNumber{0}}, {}}}));
  EXPECT_FALSE(matches(card24(), CardFilter{.only = {{CardNumber{1}}, {}}}));
}

TEST(Admission, WhatExceedsTheBestRoomFitsOnNoCard) {
  std::mt19937 random(1);
  const auto upto = [&random](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most + 1));
  };
  int certain = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Card> cards(3, card24());
    std::vector<CardHolds> holds(3);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      cards[i].usable = upto(9) > 0;
      // Rules of their own, and others that use them.
      if (upto(2) == 0) cards[i].vram_cap_bytes = static_cast<std::uint64_t>(1 + upto(29)) * kGiB;
      if (upto(2) == 0) cards[i].jobs_most = 1 + upto(3);
      if (upto(2) == 0) cards[i].sharing = upto(1) == 0;
      if (upto(2) == 0) cards[i].share_cap_percent = 50 + upto(50);
      if (upto(2) == 0) cards[i].headroom_bytes = static_cast<std::uint64_t>(upto(8)) * kGiB;
      if (upto(2) == 0) holds[i].ungranted.vram_bytes = static_cast<std::uint64_t>(upto(26)) * kGiB;
      if (upto(2) == 0) holds[i].ungranted.load_percent = upto(100);
      holds[i].jobs = upto(3);
      if (holds[i].jobs == 0) continue;
      holds[i].vram_bytes = static_cast<std::uint64_t>(upto(24)) * kGiB;
      holds[i].share_percent = upto(100);
      holds[i].whole = upto(3) == 0;
    }
    Needs needs{.vram_bytes = static_cast<std::uint64_t>(upto(24)) * kGiB,
                .share_percent = upto(1) * upto(100)};
    needs.exclusive = upto(9) == 0;
    Rules rules;
    rules.sharing = upto(9) > 0;
    if (!exceeds(card_ask_of(needs), best_room(cards, holds, rules))) continue;
    ++certain;
    for (std::size_t i = 0; i < cards.size(); ++i) {
      EXPECT_FALSE(fits_on(cards[i], holds[i], grant_on(cards[i], needs), rules));
    }
  }
  EXPECT_GT(certain, 1000);
}

TEST(Admission, AGangThatExceedsTheBestRoomFitsInNoNodes) {
  std::mt19937 random(2);
  int certain = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::vector<Card> cards(12, card24());
    std::vector<CardHolds> holds(cards.size());
    for (std::size_t i = 0; i < cards.size(); ++i) {
      cards[i].number = CardNumber{static_cast<std::uint16_t>(i)};
      cards[i].node = static_cast<int>(i / 4);
    }
    GangRoom room(cards);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      holds[i].whole = random() % 3 == 0;
      holds[i].jobs = holds[i].whole ? 1 : 0;
      if (!holds[i].whole) room.offer(i);
    }
    const int count = 1 + static_cast<int>(random() % 12);
    Needs needs;
    needs.gpus = {count, count};
    if (!exceeds(card_ask_of(needs), best_room(cards, holds, {}))) continue;
    ++certain;
    EXPECT_FALSE(room.holds(static_cast<std::size_t>(count)));
  }
  EXPECT_GT(certain, 1000);
}

TEST(Admission, WhatIsKeptWholeIsNoRoomForOthers) {
  const State state = machine(3, 24);
  const std::vector<CardHolds> holds(3);
  const std::vector<CardGrant> kept = {{.card = CardNumber{1}, .whole = true},
                                       {.card = CardNumber{2}, .vram_bytes = kGiB}};
  EXPECT_EQ(best_room(state.cards(), holds, {}).cards, 3);
  EXPECT_EQ(best_room(state.cards(), holds, {}, kept).cards, 2);
}

TEST(Admission, OneNeedIsWorkedOutAnewWhereCardsDiffer) {
  Card small = card24();
  Card large = card24();
  large.number = CardNumber{1};
  large.vram_bytes = 80 * kGiB;
  const Needs needs{.share_percent = 50};
  GrantFor grant(needs);
  for (const Card* card : {&small, &small, &large, &small}) {
    EXPECT_EQ(grant.on(*card), grant_on(*card, needs));
  }
}

TEST(Admission, ABeliefCountsOnItsOwnModelAlone) {
  Card other = card24();
  other.model = "Other 24G";
  Needs needs;
  needs.beliefs = {{.model = "Test 24G", .vram_bytes = 2 * kGiB}};
  GrantFor grant(needs);
  for (const Card& card : {card24(), other, card24()}) {
    EXPECT_EQ(grant.on(card), grant_on(card, needs));
  }
}

}  // namespace
}  // namespace gpusched::testing
