// Host RAM is promised once: moves under way, planned in one turn or in several, never take more
// of it together than there is.
#include <gtest/gtest.h>

#include "core/preempt/preempt.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

// 64 GiB of host RAM, of which moves leave 2; on each card a job of 40 GiB that can be moved.
class HostRam : public ::testing::Test {
 protected:
  HostRam() : state_(machine(2, 80, 32)) {
    std::vector<Card> cards = state_.cards();
    for (Card& card : cards) card.moves = true;
    state_.set_cards(std::move(cards));
    for (int i = 0; i < 2; ++i) ask().vram(40).share(60).priority(30).submit(state_, at_second(0));
    start_what_fits(state_, at_second(0));
    for (const std::uint64_t job : {1, 2}) testing::run(state_, job, at_second(0));
  }
  void ask_urgently(std::int64_t second) {
    ask().vram(50).share(60).priority(90).submit(state_, at_second(second));
  }
  // Who is sent aside by one turn.
  std::vector<std::uint64_t> sent(std::int64_t second) {
    std::vector<std::uint64_t> jobs;
    for (const Decision& decision : decide(state_, at_second(second)).decisions) {
      for (const Effect& effect : accept(state_, decision, at_second(second)).effects) {
        const auto* aside = std::get_if<MoveAside>(&effect);
        if (aside != nullptr) jobs.push_back(number_of(aside->attempt.job));
      }
    }
    state_.check_invariants();
    return jobs;
  }
  AttemptId attempt(std::uint64_t job) { return state_.find(JobId{job})->current_attempt(); }

  State state_;
};

TEST_F(HostRam, OfTwoMovesInOneTurnTheSecondWaits) {
  ask_urgently(60);
  ask_urgently(60);
  EXPECT_EQ(sent(60).size(), 1u);
  EXPECT_EQ(state_.host_holds().ram_bytes, 40 * kGiB) << "promised";
}

TEST_F(HostRam, IsHeldFromTheBeginningOfAMoveToTheEndOfTheReturn) {
  ask_urgently(60);
  ASSERT_EQ(sent(60), std::vector<std::uint64_t>{1});
  ask_urgently(61);
  EXPECT_TRUE(sent(61).empty()) << "the first is on its way";
  apply(state_, MovedAside{attempt(1), {}, 40 * kGiB}, at_second(62));
  EXPECT_EQ(state_.host_holds().ram_bytes, 40 * kGiB);
  EXPECT_TRUE(sent(62).empty());
  testing::run(state_, 3, at_second(62));
  finish(state_, 3, 0, at_second(70));
  apply(state_, CancelAsked{ourselves(), {JobId{4}}, {}}, at_second(70));
  sent(70);
  ASSERT_EQ(state_of(state_, 1), "resuming");
  EXPECT_EQ(state_.host_holds().ram_bytes, 40 * kGiB) << "until all of it is back";
  apply(state_, BroughtBack{attempt(1), {}}, at_second(72));
  EXPECT_EQ(state_.host_holds().ram_bytes, 0u);
  ask_urgently(80);
  EXPECT_EQ(sent(80), std::vector<std::uint64_t>{2}) << "its turn";
}

TEST_F(HostRam, ASecondPauseByHandOnlyFreezes) {
  const Principal root = ourselves();
  const auto one = apply(state_, PauseAsked{root, {JobId{1}}}, at_second(1)).effects;
  const auto two = apply(state_, PauseAsked{root, {JobId{2}}}, at_second(1)).effects;
  EXPECT_TRUE(std::get<MoveAside>(one.at(0)).checkpoint);
  EXPECT_FALSE(std::get<MoveAside>(two.at(0)).checkpoint) << "its memory has no place to go";
}

TEST_F(HostRam, APlanOfSeveralVictimsLeavesTheReserve) {
  State state = machine(1, 80, 32);
  std::vector<Card> cards = state.cards();
  cards[0].moves = true;
  state.set_cards(std::move(cards));
  for (int i = 0; i < 2; ++i) ask().vram(31).share(40).priority(30).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (const std::uint64_t job : {1, 2}) testing::run(state, job, at_second(0));
  ask().vram(70).priority(90).submit(state, at_second(60));
  EXPECT_TRUE(decide(state, at_second(60)).decisions.empty()) << "62 of 62 GiB, and 5 % on top";
}

}  // namespace
}  // namespace gpusched::testing
