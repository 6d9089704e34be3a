#include "core/state/state.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

void start_one(State& state) {
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
}

TEST(State, TellsWhatChangedAndWhatToWrite) {
  State state = machine(1, 24);
  ask().key("k").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const State::Changes changes = state.changes();
  ASSERT_EQ(changes.jobs.put.size(), 1u);
  EXPECT_EQ(changes.jobs.put.front().id, JobId{1});
  EXPECT_EQ(changes.submissions.put.size(), 1u);
  ASSERT_EQ(changes.trail.size(), 2u);
  EXPECT_EQ(changes.trail[0].kind, "submitted");
  expect_said("starting", changes.trail[1]);
  EXPECT_LT(changes.trail[0].sequence, changes.trail[1].sequence);
  state.keep_changes();
  EXPECT_TRUE(state.changes().empty());
}

TEST(State, CountsEveryState) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  ask().hold().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  EXPECT_EQ(state.counts().starting, 1u);
  EXPECT_EQ(state.counts().queued, 1u);
  EXPECT_EQ(state.counts().held, 1u);
  run(state, 1, at_second(0));
  finish(state, 1, 0, at_second(1));
  EXPECT_EQ(state.counts().completed, 1u);
  state.check_invariants();
}

TEST(State, CountsTheJobsOfEachArray) {
  State state = machine(1, 24);
  ask().array(40).submit(state, at_second(0));
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  finish(state, 1, 0, at_second(1));
  start_what_fits(state, at_second(1));
  const Counts* counts = state.counts_of_array(JobId{1});
  ASSERT_NE(counts, nullptr);
  EXPECT_EQ(counts->completed, 1u);
  EXPECT_EQ(counts->starting, 1u);
  EXPECT_EQ(counts->queued, 38u);
  EXPECT_EQ(counts->total(), 40u);
  EXPECT_EQ(state.active_in_array(JobId{1}), 1);
  EXPECT_EQ(state.last_of_array(JobId{1}), JobId{40});
  EXPECT_TRUE(state.in_sweep(*state.find(JobId{7})));
  EXPECT_FALSE(state.in_sweep(*state.find(JobId{41})));
  EXPECT_EQ(state.counts_of_array(JobId{41}), nullptr);
  state.check_invariants();
}

TEST(State, HoldsComeBackWithACardThatWasAway) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const std::vector<Card> cards = state.cards();
  state.set_cards({cards[1]});
  EXPECT_EQ(state.holds_on(0).jobs, 0);
  state.set_cards(cards);
  EXPECT_TRUE(state.holds_on(0).whole);
  finish(state, 1, 0, at_second(1));
  EXPECT_EQ(state.holds_on(0).jobs, 0);
  state.check_invariants();
}

TEST(State, WhatWasSeenStaysWhenItsTurnIsUndone) {
  State state = machine(1, 24);
  start_one(state);
  state.keep_changes();
  CardView view{.condition = CardCondition::kOk, .at = at_second(5)};
  view.processes = {{.pid = 9, .vram_bytes = 7 * kGiB, .attempt = AttemptId{JobId{1}, 1}}};
  apply(state, CardSeen{CardNumber{0}, view}, at_second(5));
  ask().submit(state, at_second(5));
  state.roll_back(at_second(5));
  EXPECT_EQ(state.find(JobId{2}), nullptr);
  EXPECT_EQ(state.view_of(0).processes.size(), 1u);
  ASSERT_NE(state.seen().uses.on_card({JobId{1}, 1}, CardNumber{0}), nullptr);
}

TEST(State, TheNewestJobsOfAUserComeFirst) {
  State state = machine(1, 24);
  for (const std::uint32_t uid : {1000U, 1001U, 1000U}) ask().uid(uid).submit(state, at_second(0));
  EXPECT_EQ(state.newest_of({.uid = 1000}, 5), (std::vector{JobId{3}, JobId{1}}));
  EXPECT_EQ(state.newest_of({.uid = 1000}, 1), std::vector{JobId{3}});
}

TEST(State, SaysThatMoreIsToBeReleasedWhenASliceEndsWithARange) {
  State state = machine(1, 24);
  for (int i = 0; i < 2; ++i) {
    SubmitAsked large = ask().array(4).event();
    large.last_slice = false;
    apply(state, large, at_second(0));
    SubmitAsked rest = large;
    rest.first_slice = false;
    rest.last_slice = true;
    rest.offset = 4;
    rest.tasks.clear();
    apply(state, rest, at_second(0));
  }
  EXPECT_EQ(state.pending().size(), 0U);
  EXPECT_TRUE(state.release_closed_submissions(4, at_second(1)));
  EXPECT_EQ(state.pending().size(), 4U);
  EXPECT_FALSE(state.release_closed_submissions(4, at_second(1)));
  EXPECT_EQ(state.pending().size(), 8U);
}

}  // namespace
}  // namespace gpusched::testing
