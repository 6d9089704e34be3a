#include "core/explain/look_ahead.h"

#include <gtest/gtest.h>

#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "tests/support/core_builders.h"

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

std::string unknown(const State& state, std::uint64_t job, Now now) {
  const Forecast forecast = look_ahead(excerpt_of(state, kLookedAheadMost, now));
  EXPECT_FALSE(forecast.starts.contains(JobId{job})) << "a time is said for job " << job;
  const auto found = forecast.unknown.find(JobId{job});
  return found == forecast.unknown.end() ? "" : describe(found->second);
}

TEST(LookAhead, InventsNoTimeAndNamesWhoHasNoEnd) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(1));
  ask().time(60).submit(state, at_second(2));
  start_what_fits(state, at_second(2));
  run(state, 1, at_second(2));
  const std::string why = "job 1 has no time limit and has not run before";
  EXPECT_EQ(unknown(state, 2, at_second(4001)), why);
  EXPECT_EQ(unknown(state, 3, at_second(4001)), why) << "behind both of them";
}

TEST(LookAhead, NamesAWaitingJobOfWhichNothingIsKnown) {
  State state = machine(1, 24);
  ask().time(100).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().submit(state, at_second(1));
  ask().time(60).submit(state, at_second(2));
  EXPECT_EQ(estimate(state, 2, at_second(5)).likely, at_second(100).wall);
  EXPECT_EQ(unknown(state, 3, at_second(5)), "job 2 has no time limit and has not run before");
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
  EXPECT_EQ(unknown(state, 4, at_second(5)), "job 1 has no time limit and has not run before");
}

TEST(LookAhead, WhoWaitsForAHeldJobIsToldSo) {
  State state = machine(1, 24);
  ask().hold().submit(state, at_second(0));
  ask().after(1).submit(state, at_second(1));
  ask().after(2).submit(state, at_second(2));
  EXPECT_EQ(unknown(state, 2, at_second(5)), "job 1 is held");
  EXPECT_EQ(unknown(state, 3, at_second(5)), "job 1 is held");
  EXPECT_TRUE(nothing_said(state, 1, at_second(5)));
}

TEST(LookAhead, ALimitOfAGroupNamesItsEndlessJob) {
  State state = machine(2, 24);
  apply(state, GroupSetAsked{ourselves(), "g", 1}, at_second(0));
  ask().group("g").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().group("g").submit(state, at_second(1));
  EXPECT_EQ(unknown(state, 2, at_second(5)), "job 1 has no time limit and has not run before");
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

std::string advice(const State& state, std::uint64_t job, Now now) {
  return what_would_help(why_waiting(state, *state.find(JobId{job}), now).front());
}

TEST(Advice, NamesTheMemoryWithWhichItWouldStart) {
  State state = machine(1, 24);
  ask().vram(12).share(10).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(20).share(10).submit(state, at_second(1));
  EXPECT_EQ(advice(state, 2, at_second(2)), "ask for --vram 10G instead of 20G and it starts now");
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
  EXPECT_EQ(advice(state, 2, at_second(10)), "with --gpus 1 it starts now");
  EXPECT_EQ(advice(state, 3, at_second(10)), "with --time 16m or less it starts now");
}

TEST(Advice, NamesNoTimeThatIsTooShortToBeOfUse) {
  State state = machine(2, 24);
  ask().time(50).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  ask().submit(state, at_second(2));
  EXPECT_EQ(advice(state, 3, at_second(10)), "") << "40 s are no offer";
}

TEST(Advice, AnExclusiveJobIsNotToldToShare) {
  State state = machine(1, 24);
  ask().vram(4).share(10).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Ask alone = ask();
  alone.spec().needs.exclusive = true;
  alone.submit(state, at_second(1));
  EXPECT_EQ(advice(state, 2, at_second(2)), "");
}

TEST(Advice, SaysWhoIsOverFirst) {
  State state = machine(1, 24);
  ask().time(2400).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().submit(state, at_second(1));
  EXPECT_EQ(describe(why_waiting(state, *state.find(JobId{2}), at_second(0)).front()),
            "needs 1 card free, 0 available; job 1 holds the cards it could use; "
            "job 1 has 1 card and ends in 40 min at the latest");
}

}  // namespace
}  // namespace gpusched::testing
