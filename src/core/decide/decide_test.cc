#include "core/decide/decide.h"

#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "core/share/order.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

TEST(Decide, StartsTheHigherPriorityJobWhenOnlyOneFits) {
  State state = machine(1, 24);
  ask().priority(40).submit(state, at_second(0));
  ask().priority(60).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{2});
}

TEST(Decide, BreaksTiesBySubmitTimeThenId) {
  State state = machine(1, 24);
  ask().submit(state, at_second(5));
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  EXPECT_EQ(waiting_in_order(state, 10, at_second(6)), (std::vector{JobId{2}, JobId{3}, JobId{1}}));
}

TEST(Decide, AnOverdueJobComesFirstInItsBandButNotBeforeAHigherBand) {
  State state = machine(1, 24);
  ask().priority(41).submit(state, at_second(0));
  const Now next_day = at_second(25 * 3600);
  ask().priority(69).submit(state, next_day);
  ask().priority(70).submit(state, next_day);
  apply(state, TimePassed{}, next_day);
  EXPECT_EQ(waiting_in_order(state, 10, next_day), (std::vector{JobId{3}, JobId{1}, JobId{2}}));
}

TEST(Decide, GivesWholeCardsToJobsThatDeclareNothing) {
  State state = machine(2, 24);
  for (int i = 0; i < 3; ++i) ask().submit(state, at_second(i));
  EXPECT_EQ(start_what_fits(state, at_second(3)), (Jobs{1, 2}));
  EXPECT_EQ(cards_of(state, 1), std::vector<int>{0});
  EXPECT_EQ(cards_of(state, 2), std::vector<int>{1});
}

TEST(Decide, PacksDeclaredNeedsOntoTheFullestCardThatFits) {
  State state = machine(2, 24);
  ask().vram(10).submit(state, at_second(0));
  ask().vram(10).submit(state, at_second(1));
  ask().vram(20).submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(3)), (Jobs{1, 2, 3}));
  EXPECT_EQ(cards_of(state, 2), cards_of(state, 1));
  EXPECT_NE(cards_of(state, 3), cards_of(state, 1));
}

TEST(Decide, KeepsHeadroomOnlyWhenSharing) {
  State state = machine(1, 24);
  ask().vram(24).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{1});
  finish(state, 1, 0, at_second(2));
  ask().vram(12).submit(state, at_second(3));
  ask().vram(12).submit(state, at_second(4));
  EXPECT_EQ(start_what_fits(state, at_second(5)), Jobs{2});
}

TEST(Decide, StaysUnderTheComputeCap) {
  State state = machine(1, 24);
  for (int i = 0; i < 3; ++i) ask().vram(1).share(40).submit(state, at_second(i));
  EXPECT_EQ(start_what_fits(state, at_second(3)), (Jobs{1, 2}));
}

TEST(Decide, StartsAGangWholeOrNotAtAll) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
  ask().gpus(2).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{});
  finish(state, 1, 0, at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(3)), Jobs{2});
  EXPECT_EQ(cards_of(state, 2), (std::vector<int>{0, 1}));
}

TEST(Decide, TakesAsManyCardsAsAreFreeWithinARange) {
  State state = machine(4, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().gpus(1, 8).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{2});
  EXPECT_EQ(cards_of(state, 2).size(), 3u);
}

TEST(Decide, AllCardsMeansAllOfThem) {
  State state = machine(3, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().all_gpus().submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{});
  finish(state, 1, 0, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{2});
  EXPECT_EQ(cards_of(state, 2).size(), 3u);
}

TEST(Decide, DoesNotLetSmallJobsStarveAWideOne) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  ask().submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(3)), Jobs{});
  const auto reasons = why_waiting(state, *state.find(JobId{3}), at_second(3));
  EXPECT_EQ(reasons.front().code, ReasonCode::kReserved);
  EXPECT_EQ(reasons.front().jobs, std::vector{JobId{2}});
}

TEST(Decide, ASmallJobMayPassWhenItsTimeLimitDelaysNobody) {
  State state = machine(2, 24);
  ask().time(1000).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  ask().time(3000).submit(state, at_second(2));
  ask().time(500).submit(state, at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(4)), Jobs{4});
}

TEST(Decide, WhatStartsInTheSameTurnCountsWhenLaterOnesArePlanned) {
  State state = machine(2, 24);
  ask().time(1000).submit(state, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  ask().time(500).submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(3)), (Jobs{1, 3}));
}

TEST(Decide, JobsOnOtherCardsPassAReservation) {
  State state = machine(3, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Ask wide = ask();
  wide.gpus(2).spec().needs.cards.edit().only.numbers = {CardNumber{0}, CardNumber{1}};
  wide.submit(state, at_second(1));
  ask().submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(3)), Jobs{3});
  EXPECT_EQ(cards_of(state, 3), std::vector<int>{2});
}

TEST(Decide, CpuJobsTakeNoCards) {
  State state = machine(1, 24, 2);
  for (int i = 0; i < 3; ++i) ask().gpus(0).submit(state, at_second(i));
  ask().submit(state, at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(4)), (Jobs{1, 2, 4}));
}

TEST(Decide, CpuFirstFallsBackToACardAndTheOtherWayRound) {
  State state = machine(1, 24, 1);
  for (int i = 0; i < 2; ++i) {
    Ask either = ask();
    either.spec().needs.cpu_use = CpuUse::kPrefer;
    either.submit(state, at_second(i));
  }
  EXPECT_EQ(start_what_fits(state, at_second(2)), (Jobs{1, 2}));
  EXPECT_EQ(cards_of(state, 1).size(), 0u);
  EXPECT_EQ(cards_of(state, 2).size(), 1u);
}

TEST(Decide, RespectsTheLimitOfAGroupAndOfAnArray) {
  State state = machine(8, 24, 8);
  apply(state, GroupSetAsked{ourselves(), "night", 2}, at_second(0));
  for (int i = 0; i < 4; ++i) ask().group("night").submit(state, at_second(i));
  EXPECT_EQ(start_what_fits(state, at_second(4)), (Jobs{1, 2}));
  ask().array(4, 1).submit(state, at_second(5));
  EXPECT_EQ(start_what_fits(state, at_second(6)), Jobs{5});
  EXPECT_EQ(why_waiting(state, *state.find(JobId{3}), at_second(6)).front().code,
            ReasonCode::kGroupLimit);
  EXPECT_EQ(why_waiting(state, *state.find(JobId{6}), at_second(6)).front().code,
            ReasonCode::kArrayLimit);
}

TEST(Decide, NothingStartsOnACardThatIsNotKnown) {
  State state = machine(2, 24);
  std::vector<Card> cards = state.cards();
  cards[0].usable = false;
  state.set_cards(cards);
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
  EXPECT_EQ(cards_of(state, 1), std::vector<int>{1});
}

TEST(Decide, ADecisionThatNoLongerHoldsIsNotCarriedOut) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  const auto decided = decide(state, at_second(0));
  ask().priority(100).submit(state, at_second(1));
  ASSERT_EQ(start_what_fits(state, at_second(1)), Jobs{2});
  EXPECT_TRUE(accept(state, decided.decisions.front(), at_second(2)).effects.empty());
  EXPECT_EQ(state_of(state, 1), "queued");
}

TEST(Decide, LooksAtAShapeOnceHoweverManyJobsItHas) {
  State state = machine(1, 24);
  ask().array(5000).submit(state, at_second(0));
  EXPECT_EQ(state.pending().shape_count(), 1u);
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{1});
}

TEST(Decide, StartsNoMoreJobsThanTheDaemonCanFollow) {
  State state = machine(8, 24, 64);
  HostCapacity host = state.host();
  host.jobs_most = 3;
  state.set_host(host);
  for (int i = 0; i < 3; ++i) ask().gpus(0).submit(state, at_second(0));
  for (int i = 0; i < 3; ++i) ask().gpus(1).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(2)), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(start_what_fits(state, at_second(3)).empty());
  const auto reasons = why_waiting(state, *state.find(JobId{4}), at_second(3));
  ASSERT_FALSE(reasons.empty());
  expect_reason(ReasonCode::kMachineLimit, reasons.front());
  EXPECT_EQ(reasons.front().wanted, 3u);
  EXPECT_NE(what_would_help(reasons.front()), "");
  // More important ones do not get a place by moving others aside: nobody's descriptor is freed.
  ask().gpus(1).priority(90).submit(state, at_second(4));
  EXPECT_TRUE(decide(state, at_second(4)).decisions.empty());
  run(state, 1, at_second(5));
  finish(state, 1, 0, at_second(5));
  EXPECT_EQ(start_what_fits(state, at_second(6)), std::vector<std::uint64_t>{7});
}

TEST(Groups, NothingOfAPausedGroupStartsAndItsLimitStays) {
  State state = machine(2, 24);
  apply(state, GroupSetAsked{ourselves(), "night", 1}, at_second(0));
  apply(state, GroupSetAsked{ourselves(), "night", {}, true}, at_second(0));
  ask().group("night").submit(state, at_second(1));
  ask().group("night").submit(state, at_second(1));
  EXPECT_TRUE(start_what_fits(state, at_second(1)).empty());
  expect_reason(ReasonCode::kGroupPaused, reason_of(state, 1, at_second(1)));
  apply(state, GroupSetAsked{ourselves(), "night", {}, false}, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)), std::vector<std::uint64_t>{1});
}

TEST(Groups, AUserHasOwnOnesForOwnJobsAlone) {
  State state = machine(2, 24);
  const Principal user{.uid = 1000, .user = "user1"};
  EXPECT_TRUE(std::holds_alternative<Refusal>(
      apply(state, GroupSetAsked{user, "night", 1}, at_second(0)).answer));
  EXPECT_TRUE(std::holds_alternative<Refusal>(
      apply(state, GroupSetAsked{user, "user2/night", 1}, at_second(0)).answer));
  EXPECT_TRUE(std::holds_alternative<Changed>(
      apply(state, GroupSetAsked{user, "user1/night", 1}, at_second(0)).answer));
  EXPECT_EQ(group_for(state, "user1", "night"), "user1/night");
  EXPECT_EQ(group_for(state, "user2", "night"), "night");
  for (std::size_t i = 1; i < kOwnGroupsMost; ++i) {
    apply(state, GroupSetAsked{user, own_group("user1", std::to_string(i)), 1}, at_second(0));
  }
  EXPECT_TRUE(std::holds_alternative<Refusal>(
      apply(state, GroupSetAsked{user, "user1/more", 1}, at_second(0)).answer));
  EXPECT_TRUE(std::holds_alternative<Changed>(
      apply(state, GroupRemoveAsked{user, "user1/night"}, at_second(0)).answer));
}

}  // namespace
}  // namespace gpusched::testing
