#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

const Ended& ended_of(const State& state, std::uint64_t job) {
  return std::get<Ended>(state.find(JobId{job})->state);
}

TEST(Attempt, ExitCodeZeroCompletesAnythingElseFails) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 0, at_second(1));
  finish(state, 2, 3, at_second(1));
  EXPECT_EQ(state_of(state, 1), "completed");
  EXPECT_EQ(state_of(state, 2), "failed");
  EXPECT_EQ(ended_of(state, 2).exit_code, 3);
  EXPECT_EQ(ended_of(state, 2).cause, Cause::kExit);
}

TEST(Attempt, LateAndDuplicateReportsChangeNothing) {
  State state = machine(1, 24);
  ask().retries(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const AttemptId first{JobId{1}, 1};
  apply(state, AttemptFinished{.attempt = first, .exit_code = 1}, at_second(1));
  EXPECT_EQ(state_of(state, 1), "queued");
  apply(state, TimePassed{}, at_second(100));
  start_what_fits(state, at_second(100));
  EXPECT_EQ(state.find(JobId{1})->attempt, 2);
  apply(state, AttemptFinished{.attempt = first, .exit_code = 0}, at_second(101));
  apply(state, AttemptRunning{first}, at_second(101));
  EXPECT_EQ(state_of(state, 1), "starting");
  apply(state, AttemptFinished{.attempt = {JobId{1}, 2}, .exit_code = 0}, at_second(102));
  apply(state, AttemptFinished{.attempt = {JobId{1}, 2}, .exit_code = 5}, at_second(103));
  EXPECT_EQ(state_of(state, 1), "completed");
}

TEST(Attempt, RetriesBackOffAndDouble) {
  State state = machine(1, 24);
  ask().retries(2).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 1, at_second(10));
  EXPECT_EQ(state.next_deadline(at_second(10)), at_second(15).boot);
  EXPECT_TRUE(start_what_fits(state, at_second(14)).empty());
  EXPECT_EQ(why_waiting(state, *state.find(JobId{1}), at_second(14)).front().code,
            ReasonCode::kRetry);
  apply(state, TimePassed{}, at_second(15));
  EXPECT_EQ(start_what_fits(state, at_second(15)).size(), 1u);
  finish(state, 1, 1, at_second(20));
  EXPECT_EQ(state.next_deadline(at_second(20)), at_second(30).boot);
  apply(state, TimePassed{}, at_second(30));
  start_what_fits(state, at_second(30));
  finish(state, 1, 1, at_second(31));
  EXPECT_EQ(state_of(state, 1), "failed");
  EXPECT_EQ(state.find(JobId{1})->attempt, 3);
}

TEST(Attempt, ATimeoutIsNotRetriedUnlessAsked) {
  State state = machine(1, 24);
  ask().retries(3).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  apply(state, AttemptFinished{.attempt = {JobId{1}, 1}, .cause = Cause::kTimeout}, at_second(1));
  EXPECT_EQ(state_of(state, 1), "failed");
}

TEST(Attempt, DependentsStartWhenWhatTheyWaitForEndsAsTheyWish) {
  State state = machine(4, 24);
  ask().submit(state, at_second(0));
  ask().after(1).submit(state, at_second(0));
  ask().after(1, DependencyKind::kFail).submit(state, at_second(0));
  ask().after(1, DependencyKind::kAny).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 0, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), (std::vector<std::uint64_t>{2, 4}));
  EXPECT_EQ(state_of(state, 3), "cancelled");
  EXPECT_EQ(ended_of(state, 3).cause, Cause::kDependency);
}

TEST(Attempt, AChainOfDependentsEndsTogetherHoweverLong) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  for (std::uint64_t i = 1; i < 20'000; ++i) ask().after(i).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 1, at_second(1));
  EXPECT_EQ(state.counts().cancelled, 19'999u);
}

TEST(Attempt, OneLostBeforeItsCommandRanGoesBackInTheQueueAtOnce) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  apply(state, AttemptNeverRan{{JobId{1}, 1}, ""}, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)).size(), 1u);
  EXPECT_EQ(state.find(JobId{1})->attempt, 2);
  EXPECT_EQ(state.find(JobId{1})->failures, 0);
}

TEST(Attempt, OneThatRanIsNotStartedAgainWhenItsRecordsAreGone) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  apply(state, AttemptRunning{{JobId{1}, 1}, at_second(1).wall}, at_second(1));
  apply(state, AttemptNeverRan{{JobId{1}, 1}, ""}, at_second(2));
  EXPECT_EQ(state_of(state, 1), "failed");
  EXPECT_EQ(ended_of(state, 1).cause, Cause::kSupervisorLost);
}

TEST(Attempt, OneThatCannotBeLaunchedIsTriedAgainAFewTimes) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  for (int i = 0; i < 4; ++i) {
    const Now now = at_second(1000 * (i + 1));
    apply(state, TimePassed{}, now);
    ASSERT_EQ(start_what_fits(state, now).size(), 1u);
    apply(state, AttemptNeverRan{{JobId{1}, i + 1}, "no process"}, now);
  }
  EXPECT_EQ(state_of(state, 1), "failed");
  EXPECT_EQ(ended_of(state, 1).cause, Cause::kLaunch);
}

TEST(Attempt, AMachineThatWentDownEndsTheJobUnlessItIsRestartable) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  Ask again = ask();
  again.spec().restartable = true;
  again.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (std::uint64_t job = 1; job <= 2; ++job) {
    apply(state, AttemptFinished{.attempt = {JobId{job}, 1}, .cause = Cause::kMachineLost},
          at_second(1));
  }
  EXPECT_EQ(state_of(state, 1), "failed");
  EXPECT_EQ(state_of(state, 2), "queued");
}

TEST(Attempt, ASweepWhoseFirstJobsAllDieAtOnceIsHeldWithOneMessage) {
  State state = machine(1, 24);
  ask().array(2000).submit(state, at_second(0));
  std::vector<Event> follow_up;
  for (std::uint64_t job = 1; job <= 5; ++job) {
    start_what_fits(state, at_second(static_cast<std::int64_t>(job)));
    follow_up = finish(state, job, 1, at_second(static_cast<std::int64_t>(job))).follow_up;
  }
  EXPECT_TRUE(start_what_fits(state, at_second(9)).empty());
  while (!follow_up.empty()) follow_up = apply(state, follow_up.front(), at_second(10)).follow_up;
  EXPECT_EQ(state.counts().held, 1995u);
  expect_reason(ReasonCode::kCrashGuard, reason_of(state, 6, at_second(10)));
  apply(state, ReleaseAsked{ourselves(), {JobId{6}}}, at_second(11));
  EXPECT_EQ(start_what_fits(state, at_second(11)), std::vector<std::uint64_t>{6});
}

TEST(Attempt, ASweepWithOneSuccessIsNotGuarded) {
  State state = machine(1, 24);
  ask().array(20).submit(state, at_second(0));
  for (std::uint64_t job = 1; job <= 10; ++job) {
    start_what_fits(state, at_second(0));
    finish(state, job, job == 1 ? 0 : 1, at_second(1));
  }
  EXPECT_EQ(start_what_fits(state, at_second(2)), std::vector<std::uint64_t>{11});
}

}  // namespace
}  // namespace gpusched::testing
