#include "core/explain.h"

#include <gtest/gtest.h>

#include "core/order.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

std::string why(const State& state, std::uint64_t job, Now now) {
  const auto reasons = why_waiting(state, *state.find(JobId{job}), now);
  return reasons.empty() ? "" : describe(reasons.front());
}

TEST(Explain, NamesWhatHoldsTheCards) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  ask().vram(8).submit(state, at_second(1));
  EXPECT_EQ(why(state, 2, at_second(2)),
            "needs 1 card free, 0 available; job 1 holds the cards it could use");
  EXPECT_EQ(why(state, 3, at_second(2)),
            "needs 1 card with 8.0 GiB free, 0 available; job 1 holds the cards it could use");
  EXPECT_EQ(why(state, 1, at_second(2)), "");
}

TEST(Explain, SaysWhatItWaitsForAndUntilWhen) {
  State state = machine(1, 24, 1);
  ask().gpus(0).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().after(1).submit(state, at_second(0));
  ask().begin(at_second(60).wall).submit(state, at_second(0));
  ask().gpus(0).submit(state, at_second(0));
  ask().hold().submit(state, at_second(0));
  EXPECT_EQ(why(state, 2, at_second(1)), "waits for job 1");
  EXPECT_EQ(why(state, 3, at_second(1)), "may not begin yet");
  EXPECT_EQ(why(state, 4, at_second(1)), "needs 1 CPU, 0 free");
  EXPECT_EQ(why(state, 5, at_second(1)), "held on request");
}

TEST(Explain, AJobThatFitsIsNext) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  EXPECT_EQ(why(state, 1, at_second(0)), "starts next");
}

TEST(Explain, SaysSoWhenTheCardsItNeedsAreNotThereNow) {
  State state = machine(2, 24);
  ask().gpus(2).submit(state, at_second(0));
  std::vector<Card> cards = state.cards();
  cards[0].usable = false;
  state.set_cards(cards);
  EXPECT_EQ(why(state, 1, at_second(0)),
            "needs 2 usable cards of the kind it asks for, 1 there now: card 0 is not known yet");
}

TEST(Explain, JobsOfOneShapeShareTheirAnswer) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().array(100).submit(state, at_second(1));
  WaitingReasons reasons(state, at_second(2));
  EXPECT_EQ(&reasons.of(*state.find(JobId{2})), &reasons.of(*state.find(JobId{90})));
}

TEST(Order, APositionCountsFromOneAndStopsAtItsBound) {
  State state = machine(0, 0, 0);
  State with_cards = machine(1, 24);
  ask().array(50).submit(with_cards, at_second(0));
  EXPECT_EQ(position_of(with_cards, JobId{1}, 10, at_second(0)), 1u);
  EXPECT_EQ(position_of(with_cards, JobId{10}, 10, at_second(0)), 10u);
  EXPECT_EQ(position_of(with_cards, JobId{11}, 10, at_second(0)), std::nullopt);
  EXPECT_EQ(position_of(state, JobId{1}, 10, at_second(0)), std::nullopt);
}

}  // namespace
}  // namespace gpusched::testing
