#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/apply/transitions.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

Ask saving() {
  Ask asked = ask();
  asked.spec().saves = std::make_shared<SaveTerms>();
  return asked;
}

// Starts what fits, and lets it run.
void start(State& state, std::int64_t second) {
  apply(state, TimePassed{}, at_second(second));
  start_what_fits(state, at_second(second));
  const Job& job = *state.find(JobId{1});
  apply(state, AttemptRunning{job.current_attempt(), at_second(second).wall}, at_second(second));
}

void end_with(State& state, int exit_code, std::int64_t second) {
  AttemptFinished report{.attempt = state.find(JobId{1})->current_attempt()};
  report.exit_code = exit_code;
  report.ended_at = at_second(second).wall;
  apply(state, report, at_second(second));
}

void end_by_signal(State& state, int signal, std::int64_t second) {
  AttemptFinished report{.attempt = state.find(JobId{1})->current_attempt(),
                         .cause = Cause::kSignal};
  report.signal = signal;
  report.ended_at = at_second(second).wall;
  apply(state, report, at_second(second));
}

void ask_for_room(State& state, std::int64_t second) {
  Job job = *state.find(JobId{1});
  stopping_in(job) = StopReason::kMakeRoom;
  state.put(std::move(job), at_second(second));
}

const Job& only(const State& state) { return *state.find(JobId{1}); }
std::optional<Wall> retry_at(const State& state) {
  return std::get<Queued>(only(state).state).retry_at;
}
TEST(Saved, GoesOnInItsNextAttemptAndHasNotFailed) {
  State state = machine(1, 24);
  saving().submit(state, at_second(0));
  start(state, 0);
  end_with(state, kSavedExitCode, 500);
  EXPECT_EQ(state_of(state, 1), "queued");
  EXPECT_EQ(only(state).failures, 0);
  EXPECT_EQ(only(state).saved_attempt, 1);
  EXPECT_EQ(retry_at(state), std::nullopt);
  start(state, 501);
  EXPECT_EQ(only(state).attempt, 2);
  end_with(state, 0, 600);
  EXPECT_EQ(state_of(state, 1), "completed");
}

TEST(Saved, TheCodeMeansNothingFromAJobThatNeverSaidSo) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start(state, 0);
  end_with(state, kSavedExitCode, 500);
  EXPECT_EQ(state_of(state, 1), "failed");
  EXPECT_EQ(only(state).saved_attempt, 0);
}

TEST(Saved, ARetryAfterAFailureStillKnowsWhoSaved) {
  State state = machine(1, 24);
  saving().retries(1).submit(state, at_second(0));
  start(state, 0);
  end_with(state, kSavedExitCode, 500);
  start(state, 501);
  end_with(state, 1, 600);
  start(state, 700);
  EXPECT_EQ(only(state).attempt, 3);
  EXPECT_EQ(only(state).saved_attempt, 1);
}

TEST(Saved, WhoSavesRightAfterEachStartWaitsLongerEachTime) {
  State state = machine(1, 24);
  saving().submit(state, at_second(0));
  start(state, 0);
  end_with(state, kSavedExitCode, 1);
  EXPECT_EQ(retry_at(state), std::nullopt) << "once is no pattern";
  start(state, 2);
  end_with(state, kSavedExitCode, 3);
  EXPECT_EQ(retry_at(state), at_second(3 + 5).wall);
  start(state, 10);
  end_with(state, kSavedExitCode, 11);
  EXPECT_EQ(retry_at(state), at_second(11 + 10).wall);
  start(state, 30);
  end_with(state, kSavedExitCode, 30 + 60);
  EXPECT_EQ(retry_at(state), std::nullopt) << "it has worked for a minute";
  EXPECT_EQ(only(state).quick_saves, 0);
}

TEST(Saved, WhoWasToldByItsTimeLimitNeverWaits) {
  State state = machine(1, 24);
  Ask asked = saving();
  asked.spec().time = {Seconds{60}, 10, Seconds{57}, Seconds{10}};
  asked.submit(state, at_second(0));
  for (int i = 0; i < 4; ++i) {
    start(state, 10 * i);
    end_with(state, kSavedExitCode, 10 * i + 3);
    ASSERT_EQ(state_of(state, 1), "queued");
    EXPECT_EQ(retry_at(state), std::nullopt);
  }
}

TEST(Saved, AlsoAtItsTimeLimit) {
  State state = machine(1, 24);
  saving().time(60).submit(state, at_second(0));
  start(state, 0);
  AttemptFinished report{.attempt = {JobId{1}, 1}, .cause = Cause::kTimeout};
  report.exit_code = kSavedExitCode;
  report.ended_at = at_second(61).wall;
  apply(state, report, at_second(61));
  EXPECT_EQ(state_of(state, 1), "queued");
}

TEST(Saved, ACancelIsACancelEvenIfItSaved) {
  State state = machine(1, 24);
  saving().submit(state, at_second(0));
  start(state, 0);
  ask_for_room(state, 5);
  apply(state, CancelAsked{ourselves(), {JobId{1}}, {}}, at_second(6));
  end_with(state, kSavedExitCode, 7);
  EXPECT_EQ(state_of(state, 1), "cancelled");
}

TEST(Preempt, WhoSavesIsQueuedAtOnceHoweverSoon) {
  State state = machine(1, 24);
  state.keep_changes();
  saving().submit(state, at_second(0));
  for (int i = 0; i < 3; ++i) {
    start(state, 10 * i);
    ask_for_room(state, 10 * i + 1);
    end_with(state, kSavedExitCode, 10 * i + 2);
    ASSERT_EQ(state_of(state, 1), "queued");
    EXPECT_EQ(retry_at(state), std::nullopt);
  }
  expect_said("requeued", state.changes().trail.back());
  EXPECT_EQ(only(state).saved_attempt, 3);
}

TEST(Preempt, WhoWasDoneAnywayIsDone) {
  State state = machine(1, 24);
  saving().submit(state, at_second(0));
  start(state, 0);
  ask_for_room(state, 5);
  end_with(state, 0, 6);
  EXPECT_EQ(state_of(state, 1), "completed");
}

TEST(Preempt, WhoDidNotSaveInTimeBeginsAgainIfItMay) {
  State state = machine(1, 24);
  Ask asked = saving();
  asked.spec().restartable = true;
  asked.submit(state, at_second(0));
  start(state, 0);
  ask_for_room(state, 5);
  end_by_signal(state, 9, 75);
  EXPECT_EQ(state_of(state, 1), "queued");
  EXPECT_EQ(only(state).failures, 0);
  EXPECT_EQ(only(state).saved_attempt, 0);
}

// It was ended for somebody else's sake: that is no failure of its own.
TEST(Preempt, WhoDidNotSaveInTimeBeginsAgain) {
  State state = machine(1, 24);
  saving().submit(state, at_second(0));
  start(state, 0);
  ask_for_room(state, 5);
  end_by_signal(state, 9, 75);
  EXPECT_EQ(state_of(state, 1), "queued");
  EXPECT_EQ(only(state).failures, 0);
}

TEST(Preempt, AnAttemptThatNeverRanIsQueuedAgain) {
  State state = machine(1, 24);
  saving().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask_for_room(state, 1);
  apply(state, AttemptNeverRan{{JobId{1}, 1}, "could not fork"}, at_second(2));
  EXPECT_EQ(state_of(state, 1), "queued");
  EXPECT_EQ(only(state).failures, 0);
}

}  // namespace
}  // namespace gpusched::testing
