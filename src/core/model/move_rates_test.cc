// What moves teach about a card, and where that is used.
#include "core/model/move_rates.h"

#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "core/preempt/move_time.h"
#include "core/preempt/preempt.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

constexpr Microseconds kMillisecond = std::chrono::milliseconds{1};

TEST(MoveRates, TheFirstMoveSaysItAndLaterOnesAreSmoothedIn) {
  MoveRate rate = learned({}, {8 * kGiB, Seconds{4}, Seconds{5}});
  EXPECT_EQ(rate.bytes_per_s, 2 * kGiB);
  EXPECT_EQ(rate.fixed, Seconds{1});
  rate = learned(rate, {8 * kGiB, Seconds{2}, Seconds{2}});
  EXPECT_EQ(rate.bytes_per_s, 3 * kGiB);
  EXPECT_EQ(rate.fixed, 500 * kMillisecond);
  for (int i = 0; i < 50; ++i) rate = learned(rate, {8 * kGiB, Seconds{1}, Seconds{1}});
  EXPECT_NEAR(static_cast<double>(rate.bytes_per_s), 8.0 * kGiB, 0.01 * kGiB);
  EXPECT_EQ(rate.moves, 52u);
}

TEST(MoveRates, WhatIsTooSmallToMeasureTeachesNothing) {
  EXPECT_EQ(learned({}, {100 << 20, Seconds{4}, Seconds{5}}), MoveRate{});
  EXPECT_EQ(learned({}, {8 * kGiB, kMillisecond, Seconds{5}}), MoveRate{});
  EXPECT_EQ(learned({}, {0, Microseconds{0}, Microseconds{0}}), MoveRate{});
}

TEST(MoveRates, WaitingForOtherMovesIsNoCostOfTheCard) {
  EXPECT_EQ(learned({}, {8 * kGiB, Seconds{4}, Seconds{400}}).fixed, Seconds{10});
  EXPECT_EQ(learned({}, {8 * kGiB, Seconds{4}, Seconds{0}}).fixed, Seconds{0});
}

TEST(MoveRates, FixedAndPerByteAddUp) {
  const MoveRate rate{2 * kGiB, Seconds{1}, 1};
  EXPECT_EQ(time_at(rate, 10 * kGiB), Seconds{6});
  EXPECT_EQ(time_at(rate, 0), Seconds{0});
}

// Cards whose driver moves processes, each with a job of 20 GiB on it.
class MovingCards : public ::testing::Test {
 protected:
  MovingCards() : state_(machine(2, 24, 32)) {
    std::vector<Card> cards = state_.cards();
    for (Card& card : cards) card.moves = true;
    state_.set_cards(std::move(cards));
    for (int i = 0; i < 2; ++i) ask().vram(20).time(100'000).priority(30).submit(state_, start_);
    start_what_fits(state_, start_);
    for (std::uint64_t job : {1, 2}) testing::run(state_, job, start_);
  }
  const Job& job(std::uint64_t id) const { return *state_.find(JobId{id}); }
  // Out and back, with what the driver's calls took.
  void move(std::uint64_t id, Seconds copying_out, Seconds copying_back, std::int64_t second) {
    const Principal root = ourselves();
    apply(state_, PauseAsked{root, {JobId{id}}}, at_second(second));
    MovedAside aside{job(id).current_attempt(), {}, 20 * kGiB};
    aside.times.checkpoint = aside.times.whole = copying_out;
    aside.copied = copied_;
    apply(state_, aside, at_second(second + 1));
    apply(state_, ResumeAsked{root, {JobId{id}}}, at_second(second + 2));
    for (const Decision& decision : decide(state_, at_second(second + 2)).decisions) {
      accept(state_, decision, at_second(second + 2));
    }
    BroughtBack back{job(id).current_attempt(), {}};
    back.times.restore = back.times.whole = copying_back;
    back.copied = copied_;
    apply(state_, back, at_second(second + 3));
    ASSERT_EQ(state_of(state_, id), "running");
  }

  const Now start_ = at_second(0);
  std::uint64_t copied_ = 20 * kGiB;
  State state_;
};

TEST_F(MovingCards, LearnFromMovesInBothDirections) {
  EXPECT_EQ(time_out(state_, job(1), 20 * kGiB), time_at(usual_rate_out(), 20 * kGiB));
  move(1, Seconds{10}, Seconds{5}, 10);
  const MoveRates* rates = state_.rates_of(CardNumber{0});
  ASSERT_NE(rates, nullptr);
  EXPECT_EQ(rates->out.bytes_per_s, 2 * kGiB);
  EXPECT_EQ(rates->back.bytes_per_s, 4 * kGiB);
  EXPECT_EQ(time_out(state_, job(1), 20 * kGiB), Seconds{10});
  EXPECT_EQ(time_back(state_, job(1), 20 * kGiB), Seconds{5});
  EXPECT_EQ(state_.rates_of(CardNumber{1}), nullptr) << "of that card nothing is known";
  ASSERT_EQ(state_.changes().move_rates.put.size(), 1U);
  EXPECT_EQ(state_.changes().move_rates.put.front().uuid, "GPU-0");
}

TEST_F(MovingCards, LearnNothingFromAMoveInWhichSomebodyEnded) {
  copied_ = 0;
  move(1, Seconds{1}, Seconds{1}, 10);
  EXPECT_EQ(state_.rates_of(CardNumber{0}), nullptr);
}

TEST_F(MovingCards, AreUndoneWithTheTurnThatTaughtThem) {
  state_.keep_changes();
  move(1, Seconds{10}, Seconds{5}, 10);
  state_.roll_back(at_second(20));
  EXPECT_EQ(state_.rates_of(CardNumber{0}), nullptr);
  EXPECT_TRUE(state_.changes().empty());
}

TEST_F(MovingCards, OfTwoEqualJobsTheOneOnTheFasterCardGoes) {
  move(1, Seconds{5}, Seconds{5}, 10);
  move(2, Seconds{50}, Seconds{50}, 20);
  ask().vram(20).priority(90).submit(state_, at_second(1000));
  const auto decisions = decide(state_, at_second(1000)).decisions;
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(std::get<Preempt>(decisions.front()).victims.front().job, JobId{1});
}

TEST_F(MovingCards, OnACardTooSlowForItNobodyIsMoved) {
  move(1, Seconds{60'000}, Seconds{60'000}, 10);
  move(2, Seconds{60'000}, Seconds{60'000}, 20);
  ask().vram(20).priority(90).submit(state_, at_second(1000));
  EXPECT_TRUE(decide(state_, at_second(1000)).decisions.empty()) << "they are over sooner";
}

TEST_F(MovingCards, TheReturnCountsInWhatIsSaidOfIt) {
  move(1, Seconds{300}, Seconds{290}, 10);
  move(2, Seconds{300}, Seconds{290}, 20);
  ask().vram(20).time(600).priority(90).submit(state_, at_second(1000));
  for (const Decision& decision : decide(state_, at_second(1000)).decisions) {
    accept(state_, decision, at_second(1000));
  }
  const auto wait = why_waiting(state_, job(3), at_second(1060));
  ASSERT_FALSE(wait.empty());
  expect_reason(ReasonCode::kMakingRoom, wait.front());
  apply(state_, MovedAside{job(1).current_attempt(), {}, 20 * kGiB}, at_second(1300));
  start_what_fits(state_, at_second(1300));
  testing::run(state_, 3, at_second(1300));
  const auto why = why_waiting(state_, job(1), at_second(1300));
  ASSERT_FALSE(why.empty());
  expect_reason(ReasonCode::kMovedAside, why.front());
}

}  // namespace
}  // namespace gpusched::testing
