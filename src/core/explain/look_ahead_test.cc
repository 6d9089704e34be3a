#include "core/explain/look_ahead.h"

#include <gtest/gtest.h>

#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

StartEstimate estimate(const State& state, std::uint64_t job, Now now) {
  const Forecast forecast = look_ahead(excerpt_of(state, kLookedAheadMost, now));
  const auto found = forecast.starts.find(JobId{job});
  EXPECT_NE(found, forecast.starts.end()) << "nothing is said about job " << job;
  return found == forecast.starts.end() ? StartEstimate{} : found->second;
}
bool nothing_said(const State& state, std::uint64_t job, Now now) {
  return !look_ahead(excerpt_of(state, kLookedAheadMost, now)).starts.contains(JobId{job});
}

TEST(LookAhead, AddsUpTheLimitsOfThoseBefore) {
  State state = machine(1, 24);
  for (int i = 0; i < 3; ++i) ask().time(100).submit(state, at_second(i));
  start_what_fits(state, at_second(3));
  run(state, 1, at_second(3));
  const StartEstimate second = estimate(state, 2, at_second(10));
  EXPECT_EQ(second.likely, at_second(103).wall);
  EXPECT_EQ(second.latest, at_second(103).wall);
  EXPECT_EQ(estimate(state, 3, at_second(10)).likely, at_second(203).wall);
}

// Nobody can say when it starts.
void expect_unknown(const State& state, std::uint64_t job, StartUnknown unknown, Now now) {
  const Forecast forecast = look_ahead(excerpt_of(state, kLookedAheadMost, now));
  EXPECT_FALSE(forecast.starts.contains(JobId{job})) << "a time is said for job " << job;
  const auto found = forecast.unknown.find(JobId{job});
  ASSERT_NE(found, forecast.unknown.end()) << "nothing is said about job " << job;
  EXPECT_EQ(found->second, unknown);
  expect_words(describe(found->second));
}
constexpr StartUnknown kEndless1{JobId{1}, StartUnknown::Why::kEndless};
constexpr StartUnknown kEndless2{JobId{2}, StartUnknown::Why::kEndless};
constexpr StartUnknown kHeld1{JobId{1}, StartUnknown::Why::kHeld};

TEST(LookAhead, InventsNoTimeAndNamesWhoHasNoEnd) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(1));
  ask().time(60).submit(state, at_second(2));
  start_what_fits(state, at_second(2));
  run(state, 1, at_second(2));
  expect_unknown(state, 2, kEndless1, at_second(4001));
  expect_unknown(state, 3, kEndless1, at_second(4001));  // It is behind both of them.
}

TEST(LookAhead, NamesAWaitingJobOfWhichNothingIsKnown) {
  State state = machine(1, 24);
  ask().time(100).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().submit(state, at_second(1));
  ask().time(60).submit(state, at_second(2));
  EXPECT_EQ(estimate(state, 2, at_second(5)).likely, at_second(100).wall);
  expect_unknown(state, 3, kEndless2, at_second(5));
}

TEST(LookAhead, WhoDoesNotNeedAnEndlessCardHasATimeAllTheSame) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  ask().time(100).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  run(state, 2, at_second(0));
  ask().submit(state, at_second(1));
  ask().gpus(2).submit(state, at_second(2));
  EXPECT_EQ(estimate(state, 3, at_second(5)).likely, at_second(100).wall);
  expect_unknown(state, 4, kEndless1, at_second(5));
}

TEST(LookAhead, WhoWaitsForAHeldJobIsToldSo) {
  State state = machine(1, 24);
  ask().hold().submit(state, at_second(0));
  ask().after(1).submit(state, at_second(1));
  ask().after(2).submit(state, at_second(2));
  expect_unknown(state, 2, kHeld1, at_second(5));
  expect_unknown(state, 3, kHeld1, at_second(5));
  EXPECT_TRUE(nothing_said(state, 1, at_second(5)));
}

TEST(LookAhead, ALimitOfAGroupNamesItsEndlessJob) {
  State state = machine(2, 24);
  apply(state, GroupSetAsked{ourselves(), "g", 1}, at_second(0));
  ask().group("g").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().group("g").submit(state, at_second(1));
  expect_unknown(state, 2, kEndless1, at_second(5));
}

TEST(LookAhead, KnowsBackfillDependenciesAndBeginTimes) {
  State state = machine(2, 24);
  ask().time(1000).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(2).time(100).submit(state, at_second(1));
  ask().time(2000).submit(state, at_second(2));
  ask().after(2).time(10).submit(state, at_second(3));
  ask().begin(at_second(5000).wall).submit(state, at_second(4));
  EXPECT_EQ(estimate(state, 2, at_second(5)).likely, at_second(1000).wall);
  EXPECT_EQ(estimate(state, 3, at_second(5)).likely, at_second(1100).wall);
  EXPECT_EQ(estimate(state, 4, at_second(5)).likely, at_second(1100).wall);
  EXPECT_EQ(estimate(state, 5, at_second(5)).likely, at_second(5000).wall);
}

TEST(LookAhead, SaysNothingOfWhatCannotBeSeen) {
  State state = machine(1, 24);
  ask().hold().submit(state, at_second(0));
  ask().gpus(1).submit(state, at_second(0));
  std::vector<Card> cards = state.cards();
  cards[0].usable = false;
  state.set_cards(cards);
  EXPECT_TRUE(nothing_said(state, 1, at_second(1)));
  EXPECT_TRUE(nothing_said(state, 2, at_second(1)));
}

TEST(LookAhead, LeavesTheStateAsItWasAndTakesOnlyTheFirst) {
  State state = machine(1, 24);
  for (int i = 0; i < 50; ++i) ask().time(10).submit(state, at_second(i));
  const Excerpt excerpt = excerpt_of(state, 20, at_second(60));
  EXPECT_EQ(excerpt.jobs.size(), 20u);
  EXPECT_EQ(excerpt.left_out, 30u);
  const Forecast forecast = look_ahead(excerpt);
  EXPECT_EQ(forecast.starts.size(), 20u);
  EXPECT_EQ(state.counts().queued, 50u);
}

TEST(Advice, NamesTheMemoryWithWhichItWouldStart) {
  State state = machine(1, 24);
  ask().vram(12).share(10).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(20).share(10).submit(state, at_second(1));
  expect_helps({{Help::Kind::kLessVram, 10 * kGiB, 20 * kGiB}}, reason_of(state, 2, at_second(2)));
  apply(state, SetAsked{ourselves(), {JobId{2}}, patch_with(&Needs::vram_bytes, 10 * kGiB)},
        at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(3)), std::vector<std::uint64_t>{2});
}

TEST(Advice, NamesFewerCardsAndATimeThatLetsItPass) {
  State state = machine(2, 24);
  ask().time(1000).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  ask().submit(state, at_second(2));
  expect_helps({{Help::Kind::kFewerCards, 1, 2}}, reason_of(state, 2, at_second(10)));
  expect_helps({{Help::Kind::kShorterTime, 980, 0}}, reason_of(state, 3, at_second(10)));
}

TEST(Advice, NamesNoTimeThatIsTooShortToBeOfUse) {
  State state = machine(2, 24);
  ask().time(50).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  ask().submit(state, at_second(2));
  EXPECT_EQ(what_would_help(reason_of(state, 3, at_second(10))), "") << "40 s are no offer";
}

TEST(Advice, AnExclusiveJobIsNotToldToShare) {
  State state = machine(1, 24);
  ask().vram(4).share(10).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Ask alone = ask();
  alone.spec().needs.exclusive = true;
  alone.submit(state, at_second(1));
  EXPECT_EQ(what_would_help(reason_of(state, 2, at_second(2))), "");
}

TEST(Advice, SaysWhoIsOverFirst) {
  State state = machine(1, 24);
  ask().time(2400).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().submit(state, at_second(1));
  expect_reason(ReasonCode::kCards, reason_of(state, 2, at_second(0)));
}

std::vector<PlannedSpan> plan_of(const State& state, Now now) {
  return look_ahead(excerpt_of(state, kLookedAheadMost, now)).plan;
}

TEST(LookAhead, TellsWhichCardsAJobGetsAndUntilWhen) {
  State state = machine(2, 24);
  ask().time(100).submit(state, at_second(0));
  ask().time(300).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (const std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  ask().time(50).submit(state, at_second(1));
  ask().gpus(2).submit(state, at_second(2));
  const auto plan = plan_of(state, at_second(10));
  ASSERT_EQ(plan.size(), 2U) << "what runs is not planned";
  EXPECT_EQ(plan[0].job, JobId{3});
  EXPECT_FALSE(plan[0].back);
  ASSERT_EQ(plan[0].cards.size(), 1U);
  EXPECT_EQ(plan[0].cards[0].card, CardNumber{0});
  EXPECT_EQ(plan[0].from, at_second(100).wall);
  EXPECT_EQ(plan[0].until, at_second(150).wall);
  EXPECT_EQ(plan[1].job, JobId{4});
  EXPECT_EQ(plan[1].cards.size(), 2U);
  EXPECT_EQ(plan[1].from, at_second(300).wall);
  EXPECT_FALSE(plan[1].until) << "nobody knows when it ends";
}

TEST(LookAhead, TellsWhenThoseReturnWhoAreAside) {
  State state = moving_machine(1, 24);
  ask().submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  ask().priority(90).time(200).submit(state, at_second(100));
  take_turn(state, 200);
  has_moved(state, 1, 4, 201);
  starts_and_runs(state, 2, 202);
  ASSERT_TRUE(is_aside(*state.find(JobId{1})));
  const auto plan = plan_of(state, at_second(210));
  ASSERT_EQ(plan.size(), 1U) << "nobody waits, and it is told all the same";
  EXPECT_EQ(plan[0].job, JobId{1});
  EXPECT_TRUE(plan[0].back);
  EXPECT_GE(plan[0].from, at_second(402).wall);
  EXPECT_EQ(plan[0].cards.at(0).card, CardNumber{0});
}

}  // namespace
}  // namespace gpusched::testing
