#include "core/model/card_rules.h"

#include <gtest/gtest.h>

#include "core/admit/admission.h"
#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

std::vector<Card> three_cards() {
  std::vector<Card> cards = machine(3, 24).cards();
  cards[2].model = "NVIDIA GeForce RTX 4090";
  return cards;
}

TEST(CardRules, WithoutRulesEveryCardIsManagedAsItIs) {
  const RuledCards ruled = apply_rules({}, three_cards());
  for (const Card& card : ruled.cards) {
    EXPECT_TRUE(card.managed);
    EXPECT_EQ(card.capacity_bytes(), 24 * kGiB);
  }
  EXPECT_TRUE(ruled.complaints.empty());
}

TEST(CardRules, CardsAreMatchedByNumberUuidModelAndAlias) {
  const CardRules rules = {{.match = {.number = 0}, .alias = "left"},
                           {.match = {.uuid = "gpu-1"}, .jobs_most = 1},
                           {.match = {.model = "rtx 4090"}, .jobs_most = 2},
                           {.match = {.alias = "left"}, .jobs_most = 3}};
  const std::vector<Card> cards = apply_rules(rules, three_cards()).cards;
  EXPECT_EQ(cards[0].jobs_most, 3);
  EXPECT_EQ(cards[1].jobs_most, 1);
  EXPECT_EQ(cards[2].jobs_most, 2);
}

TEST(CardRules, AllThatAMatchNamesMustHold) {
  const CardRules rules = {{.match = {.number = 0, .model = "4090"}, .manage = false},
                           {.match = {}, .manage = false}};
  for (const Card& card : apply_rules(rules, three_cards()).cards) EXPECT_TRUE(card.managed);
}

TEST(CardRules, ALaterRuleOverridesFieldByField) {
  const CardRules rules = {
      {.match = {.model = "Test"}, .vram_cap_bytes = 20 * kGiB, .jobs_most = 2},
      {.match = {.number = 1}, .jobs_most = 4}};
  const std::vector<Card> cards = apply_rules(rules, three_cards()).cards;
  EXPECT_EQ(cards[0].jobs_most, 2);
  EXPECT_EQ(cards[1].jobs_most, 4);
  EXPECT_EQ(cards[1].capacity_bytes(), 20 * kGiB);
  EXPECT_EQ(cards[2].capacity_bytes(), 24 * kGiB);
}

TEST(CardRules, AnAliasNamesOneCard) {
  const RuledCards ruled =
      apply_rules({{.match = {.model = "Test"}, .alias = "left"}}, three_cards());
  EXPECT_EQ(ruled.cards[0].alias, "left");
  EXPECT_EQ(ruled.cards[1].alias, "");
  ASSERT_EQ(ruled.complaints.size(), 1U);
  expect_words(ruled.complaints[0]);
}

TEST(CardRules, NamesAreAliasesAndTags) {
  const std::vector<Card> cards =
      apply_rules({{.match = {.number = 0}, .alias = "left", .tags = {{"small", "display"}}},
                   {.match = {.number = 2}, .tags = {{"small"}}}},
                  three_cards())
          .cards;
  EXPECT_EQ(cards_named(cards, "left"), std::vector{CardNumber{0}});
  EXPECT_EQ(cards_named(cards, "small"), (std::vector{CardNumber{0}, CardNumber{2}}));
  EXPECT_TRUE(cards_named(cards, "large").empty());
}

TEST(CardRules, AJobNamesItsCardsByAliasOrTag) {
  State state = machine(3, 24);
  state.set_cards(apply_rules({{.match = {.number = 1}, .alias = "left"},
                               {.match = {.number = 2}, .tags = {{"small"}}}},
                              state.cards())
                      .cards);
  Ask left = ask();
  left.spec().needs.cards.edit().only.names = {"left"};
  left.submit(state, at_second(0));
  Ask other = ask();
  other.spec().needs.cards.edit().avoid = {{CardNumber{0}}, {"left"}};
  other.submit(state, at_second(1));
  Ask nobody = ask();
  nobody.spec().needs.cards.edit().only.names = {"right"};
  const Answer answer = nobody.submit(state, at_second(2));
  expect_refused(RefusalKind::kNeverFits, answer);
  start_what_fits(state, at_second(3));
  EXPECT_EQ(grant_of(*state.find(JobId{1}))->cards.at(0).card, CardNumber{1});
  EXPECT_EQ(grant_of(*state.find(JobId{2}))->cards.at(0).card, CardNumber{2});
}

// A state with one card under one rule.
State ruled(CardRule rule, int cards = 1) {
  rule.match = {.model = "Test"};
  State state = machine(cards, 24);
  state.set_cards(apply_rules({rule}, state.cards()).cards);
  return state;
}

TEST(CardRules, NothingIsPlacedOnACardThatIsNotManaged) {
  State state = machine(2, 24);
  state.set_cards(apply_rules({{.match = {.number = 0}, .manage = false}}, state.cards()).cards);
  EXPECT_FALSE(state.cards()[0].usable);
  CardView seen;
  seen.condition = CardCondition::kOk;
  state.observe(CardNumber{0}, seen);
  EXPECT_FALSE(state.cards()[0].usable) << "also after it was seen in order";
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), std::vector<std::uint64_t>{1});
  EXPECT_EQ(cards_of(state, 1), std::vector<int>{1});
  EXPECT_FALSE(accepted(ask().gpus(2).submit(state, at_second(0))));
}

TEST(CardRules, WithoutAManagedCardTheRefusalSaysSo) {
  State state = ruled({.manage = false});
  expect_refused(RefusalKind::kNeverFits, ask().submit(state, at_second(0)));
}

TEST(CardRules, ACapIsWhatIsHandedOutAtMost) {
  State state = ruled({.vram_cap_bytes = 10 * kGiB});
  EXPECT_FALSE(accepted(ask().vram(11).submit(state, at_second(0))));
  ask().vram(6).submit(state, at_second(0));
  ask().vram(4).share(10).submit(state, at_second(0));
  ask().vram(1).share(1).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), (std::vector<std::uint64_t>{1, 2}));
}

TEST(CardRules, WhatOthersUseDoesNotCountAgainstTheCap) {
  State state = ruled({.vram_cap_bytes = 20 * kGiB});
  CardView seen;
  seen.condition = CardCondition::kOk;
  seen.used_bytes = 4 * kGiB;
  state.observe(CardNumber{0}, seen);
  ask().vram(20).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)).size(), 1U);
}

TEST(CardRules, ACardTakesAtMostItsNumberOfJobs) {
  State state = ruled({.jobs_most = 2});
  for (int i = 0; i < 3; ++i) ask().vram(1).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(why_waiting(state, *state.find(JobId{3}), at_second(0)).front().code,
            ReasonCode::kCards);
  finish(state, 1, 0, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), std::vector<std::uint64_t>{3});
}

TEST(CardRules, SharingHeadroomAndShareCapHoldForTheirCard) {
  const CardGrant small = grant_on(ruled({}).cards()[0], {.vram_bytes = 2 * kGiB});
  const CardHolds holds{.vram_bytes = 20 * kGiB, .share_percent = 80, .jobs = 1};
  const auto fits = [&](const CardRule& rule, const Rules& rules) {
    return fits_on(ruled(rule).cards()[0], holds, small, rules);
  };
  EXPECT_TRUE(fits({}, {}));
  EXPECT_FALSE(fits({.sharing = false}, {}));
  EXPECT_TRUE(fits({.sharing = true}, {.sharing = false}));
  EXPECT_FALSE(fits({.share_cap_percent = 80}, {}));
  EXPECT_FALSE(fits({.headroom_bytes = 3 * kGiB}, {}));
}

TEST(CardRules, AMissingCardIsPartOfTheReason) {
  Rules rules;
  rules.cards_expected = 2;
  State state = machine(1, 24, 8, rules);
  EXPECT_EQ(state.cards_missing(), 1U);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Reason reason = why_waiting(state, *state.find(JobId{2}), at_second(0)).front();
  expect_reason(ReasonCode::kCards, reason);
  expect_refused(RefusalKind::kNeverFits, ask().gpus(2).submit(state, at_second(0)));
}

TEST(CardRules, ACardThatFellOffTheBusIsMissing) {
  Rules rules;
  rules.cards_expected = 2;
  State state = machine(2, 24, 8, rules);
  EXPECT_EQ(state.cards_missing(), 0U);
  CardView gone;
  gone.condition = CardCondition::kGone;
  state.observe(CardNumber{0}, gone);
  EXPECT_EQ(state.cards_missing(), 1U);
}

}  // namespace
}  // namespace gpusched::testing
