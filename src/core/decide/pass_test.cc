// Each step of a pass: what becomes of one job that is looked at.
#include "core/decide/pass.h"

#include <gtest/gtest.h>

#include "core/share/quota.h"
#include "tests/support/core_builders.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

using Steps = std::vector<Step>;

// All that a pass works on, so that it can be taken step by step.
struct Desk {
  explicit Desk(const State& of, std::int64_t second)
      : state(of),
        now(at_second(second)),
        free(of),
        standings(standings_of(of, now)),
        returns(of, now),
        rooms(of, now) {}
  Steps steps() {
    Pass pass(state, standings, free, decided, returns, rooms, now);
    Steps all;
    while (const auto step = pass.next()) all.push_back(*step);
    return all;
  }

  const State& state;
  Now now;
  Tentative free;
  Standings standings;
  Decided decided;
  Returns returns;
  RoomMaker rooms;
};

TEST(Pass, StartsWhatFits) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  Desk desk(state, 1);
  EXPECT_EQ(desk.steps(), Steps{Step::kStarted});
  EXPECT_TRUE(desk.free.has_started(JobId{1}));
  EXPECT_FALSE(desk.decided.reserved);
}

TEST(Pass, ReservesForTheFirstThatDoesNotFitAndForNoOther) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  ask().vram(20).submit(state, at_second(2));
  ask().gpus(0).submit(state, at_second(3));
  Desk desk(state, 4);
  EXPECT_EQ(desk.steps(), (Steps{Step::kReserved, Step::kStarted}))
      << "the second needs a card, and none has room: it is not even looked at";
  ASSERT_TRUE(desk.decided.reserved);
  EXPECT_EQ(desk.decided.reserved->job, JobId{2});
}

TEST(Pass, LeavesAShapeWhoseLimitIsReached) {
  State state = machine(2, 24);
  apply(state, GroupSetAsked{ourselves(), "one", 1}, at_second(0));
  ask().group("one").vram(2).submit(state, at_second(0));
  ask().group("one").vram(2).submit(state, at_second(1));
  ask().vram(2).submit(state, at_second(2));
  Desk desk(state, 3);
  EXPECT_EQ(desk.steps(), (Steps{Step::kStarted, Step::kLeaveShape, Step::kStarted}));
}

TEST(Pass, LeavesATenantToItsQuota) {
  State state = machine(2, 24);
  TenantRule one_at_a_time;
  one_at_a_time.running = 1;
  apply(state, TenantSetAsked{ourselves(), "user1", one_at_a_time}, at_second(0));
  ask().uid(1).vram(2).submit(state, at_second(0));
  ask().uid(1).vram(2).submit(state, at_second(1));
  ask().uid(1).vram(4).submit(state, at_second(1));
  ask().uid(2).vram(2).submit(state, at_second(2));
  Desk desk(state, 3);
  EXPECT_EQ(desk.steps(), (Steps{Step::kStarted, Step::kLeaveToQuota, Step::kStarted}))
      << "the third of the tenant that is over its quota is not looked at";
}

TEST(Pass, WhatAnEarlierPassStartedIsDone) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  Desk desk(state, 1);
  EXPECT_EQ(desk.steps(), Steps{Step::kStarted});
  EXPECT_EQ(desk.steps(), Steps{Step::kDoneBefore});
  EXPECT_EQ(desk.decided.decisions.size(), 1U);
}

TEST(Pass, MakesRoomForTheMoreImportant) {
  State state = moving_machine(1, 24);
  ask().priority(50).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().priority(90).submit(state, at_second(1));
  Desk desk(state, 1000);
  EXPECT_EQ(desk.steps(), Steps{Step::kRoomMade});
  ASSERT_EQ(desk.decided.decisions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Preempt>(desk.decided.decisions.front()));
  EXPECT_EQ(desk.steps(), Steps{Step::kDoneBefore});
}

TEST(Pass, SaysThatSomethingPassedTheReservation) {
  State state = machine(2, 24);
  ask().time(100).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  ask().time(10).submit(state, at_second(2));
  Desk desk(state, 3);
  Pass pass(state, desk.standings, desk.free, desk.decided, desk.returns, desk.rooms, desk.now);
  EXPECT_TRUE(pass.run());
  Pass again(state, desk.standings, desk.free, desk.decided, desk.returns, desk.rooms, desk.now);
  EXPECT_FALSE(again.run());
}

}  // namespace
}  // namespace gpusched::testing
