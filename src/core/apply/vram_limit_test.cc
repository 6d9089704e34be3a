#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

// One card with two jobs on it, of 4 GiB each; the first may take 6.
class VramLimit : public ::testing::Test {
 protected:
  explicit VramLimit(Rules rules = {}) : state_(machine(1, 24, 8, rules)) {
    Ask limited = ask().vram(4);
    limited.spec().extras.edit().vram_limit_bytes = 6 * kGiB;
    limited.submit(state_, at_second(0));
    ask().vram(4).submit(state_, at_second(0));
    start_what_fits(state_, at_second(0));
    testing::run(state_, 1, at_second(0));
    testing::run(state_, 2, at_second(0));
    state_.keep_changes();
  }
  // A look at the card; what was said and done.
  std::vector<Effect> look(std::uint64_t first_gib, std::uint64_t second_gib) {
    CardView view;
    view.condition = CardCondition::kOk;
    view.at = at_second(++second_);
    view.used_bytes = (first_gib + second_gib) * kGiB;
    // Two processes of the first job, one of the second.
    view.processes = {
        {.pid = 1, .vram_bytes = (first_gib - 1) * kGiB, .attempt = AttemptId{JobId{1}, 1}},
        {.pid = 2, .vram_bytes = kGiB, .attempt = AttemptId{JobId{1}, 1}},
        {.pid = 3, .vram_bytes = second_gib * kGiB, .attempt = AttemptId{JobId{2}, 1}}};
    return apply(state_, CardSeen{CardNumber{0}, view}, view.at).effects;
  }
  std::size_t notes() const { return state_.changes().trail.size(); }

  const AttemptId greedy_{JobId{1}, 1};
  State state_;
  std::int64_t second_ = 0;
};

Rules without_pause() {
  Rules rules;
  rules.vram_limit_pause = Seconds{0};
  return rules;
}

class VramLimitWithoutPause : public VramLimit {
 protected:
  VramLimitWithoutPause() : VramLimit(without_pause()) {}
};

// It is stopped at the second look above its limit.
class StoppedAtItsLimit : public VramLimit {
 protected:
  StoppedAtItsLimit() {
    EXPECT_TRUE(look(7, 4).empty()) << "once may be a moment";
    const auto effects = look(7, 4);
    EXPECT_EQ(effects.size(), 1u);
    EXPECT_FALSE(std::get<MoveAside>(effects.at(0)).checkpoint);
    apply(state_, MovedAside{greedy_, {}, 0}, at_second(second_));
  }
  Answer set_limit(std::uint64_t gib) {
    SetAsked asked{.actor = ourselves(), .jobs = {JobId{1}}, .patch = {}};
    asked.patch.put(&SpecExtras::vram_limit_bytes, gib * kGiB);
    return apply(state_, asked, at_second(second_)).answer;
  }
  bool returns() {
    for (const Decision& decision : decide(state_, at_second(second_)).decisions) {
      if (std::holds_alternative<Resume>(decision)) return true;
    }
    return false;
  }
};

TEST_F(StoppedAtItsLimit, KeepsItsMemoryAndItsNeighbourRuns) {
  EXPECT_EQ(state_of(state_, 1), "paused");
  EXPECT_EQ(state_of(state_, 2), "running");
  expect_said("vram_limit", state_.changes().trail[1]);
  EXPECT_FALSE(returns()) << "not by itself";
  EXPECT_EQ(state_.find(JobId{1})->moves, 0) << "nobody has moved it";
  const auto why = why_waiting(state_, *state_.find(JobId{1}), at_second(22));
  ASSERT_EQ(why.size(), 1u);
  expect_reason(ReasonCode::kVramLimit, why[0]);
  state_.check_invariants();
}

TEST_F(StoppedAtItsLimit, IsEndedAfterAWhile) {
  const Now end = at_second(second_ + 60);
  EXPECT_EQ(state_.next_deadline(at_second(second_)), end.boot);
  EXPECT_TRUE(apply(state_, TimePassed{}, at_second(second_ + 59)).effects.empty());
  const auto effects = apply(state_, TimePassed{}, end).effects;
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(std::get<StopAttempt>(effects[0]).attempt, greedy_);
  EXPECT_TRUE(apply(state_, TimePassed{}, at_second(second_ + 61)).effects.empty()) << "once";
  AttemptFinished report{.attempt = greedy_, .cause = Cause::kSignal};
  apply(state_, report, at_second(70));
  EXPECT_EQ(std::get<Ended>(state_.find(JobId{1})->state).cause, Cause::kVramLimit);
}

TEST_F(StoppedAtItsLimit, IsEndedAfterThatWhileAlsoIfTheClockWasSetBack) {
  constexpr Seconds kBack{86'400};
  Now then = at_second(second_ + 1);
  then.wall -= kBack;
  EXPECT_TRUE(apply(state_, TimePassed{}, then).effects.empty());
  EXPECT_EQ(state_.next_deadline(then), then.boot + Seconds{60});
  then.wall += Seconds{60};
  then.boot += Seconds{60};
  EXPECT_EQ(apply(state_, TimePassed{}, then).effects.size(), 1u);
}

TEST_F(StoppedAtItsLimit, GoesOnWhenTheLimitIsRaisedEnough) {
  set_limit(6);
  EXPECT_FALSE(returns()) << "still above it";
  expect_refused(RefusalKind::kInvalid, set_limit(3));
  EXPECT_TRUE(accepted(set_limit(8)));
  EXPECT_TRUE(returns());
  EXPECT_TRUE(apply(state_, TimePassed{}, at_second(1000)).effects.empty()) << "not ended";
}

TEST_F(StoppedAtItsLimit, GoesOnWhenItHasLess) {
  look(7, 4);
  EXPECT_FALSE(returns());
  look(5, 4);
  EXPECT_TRUE(returns());
}

TEST_F(StoppedAtItsLimit, IsEndedAtOnceWhenTheCardGetsTooFull) {
  const auto effects = look(7, 17);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(std::get<StopAttempt>(effects[0]).attempt, greedy_);
  EXPECT_TRUE(decide(state_, at_second(second_)).decisions.empty()) << "nobody else has to go";
}

TEST_F(StoppedAtItsLimit, IsNeitherPausedNorResumedByHand) {
  const Principal root = ourselves();
  expect_unchanged(1, apply(state_, ResumeAsked{root, {JobId{1}}}, at_second(5)).answer);
  expect_unchanged(1, apply(state_, PauseAsked{root, {JobId{1}}}, at_second(5)).answer);
  const auto effects = apply(state_, CancelAsked{root, {JobId{1}}, {}}, at_second(6)).effects;
  ASSERT_EQ(effects.size(), 1u);
}

TEST_F(StoppedAtItsLimit, HasNotCompletedWhateverItSaysInTheEnd) {
  apply(state_, TimePassed{}, at_second(second_ + 60));
  finish(state_, 1, 0, at_second(70));
  EXPECT_EQ(state_of(state_, 1), "failed");
  EXPECT_EQ(std::get<Ended>(state_.find(JobId{1})->state).cause, Cause::kVramLimit);
}

TEST_F(VramLimit, WhatCannotBeStoppedIsEnded) {
  look(7, 4);
  look(7, 4);
  MoveFailed failed{.attempt = greedy_, .left = MoveLeft::kRunning};
  failed.error = "nothing answers";
  const auto effects = apply(state_, failed, at_second(second_)).effects;
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(std::get<StopAttempt>(effects[0]).attempt, greedy_);
}

TEST_F(VramLimit, OnACardThatIsTooFullNobodyIsWaitedFor) {
  EXPECT_TRUE(look(7, 17).empty());
  const auto effects = look(7, 17);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(std::get<StopAttempt>(effects[0]).attempt, greedy_);
}

TEST_F(VramLimitWithoutPause, TwoLooksInARowPastItEndTheJobAndNobodyElse) {
  EXPECT_TRUE(look(7, 4).empty()) << "once may be a moment";
  const auto effects = look(7, 4);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(std::get<StopAttempt>(effects[0]).attempt, greedy_);
  EXPECT_TRUE(look(7, 4).empty()) << "it is asked once";
  AttemptFinished report{.attempt = {JobId{1}, 1}, .cause = Cause::kSignal};
  report.signal = 15;
  apply(state_, report, at_second(20));
  ASSERT_EQ(state_of(state_, 1), "failed");
  const auto& ended = std::get<Ended>(state_.find(JobId{1})->state);
  EXPECT_EQ(ended.cause, Cause::kVramLimit);
  expect_words(ended.message);
  EXPECT_EQ(state_of(state_, 2), "running");
}

TEST_F(VramLimit, APeakBetweenTwoGoodLooksIsForgiven) {
  EXPECT_TRUE(look(7, 4).empty());
  EXPECT_TRUE(look(6, 4).empty());
  EXPECT_TRUE(look(7, 4).empty());
  EXPECT_EQ(state_of(state_, 1), "running");
}

TEST_F(VramLimit, MoreThanTheNeedIsToldOfOnce) {
  look(4, 4);
  EXPECT_EQ(notes(), 0u);
  look(5, 5);
  EXPECT_EQ(notes(), 1u);
  expect_said("vram", state_.changes().trail[0]);
  look(4, 4);
  look(6, 6);
  EXPECT_EQ(notes(), 1u);
}

}  // namespace
}  // namespace gpusched::testing
