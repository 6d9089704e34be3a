#include "core/state/slow_pairs.h"

#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

Ask program(const char* name) {
  Ask one = ask();
  one.spec().argv = {name};
  return one.vram(4).share(20);
}

// Where the adaptive cap looks at what jobs say of themselves.
State watched(int cards) {
  Rules rules;
  rules.adaptive_cap.on = true;
  return machine(cards, 24, 8, rules);
}

void look(State& state, std::int64_t second) {
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
  apply(state, CardSeen{CardNumber{0}, view}, view.at);
}
void says(State& state, std::uint64_t job, std::uint64_t step, std::int64_t ran) {
  ProgressSeen seen{};
  seen.attempt = state.find(JobId{job})->current_attempt();
  seen.step = step;
  seen.total = 1000;
  seen.at = at_second(ran).wall;
  apply(state, seen, at_second(ran));
}

// Job 1 goes at a step per second alone and at half of that beside job 2.
void slow_each_other(State& state) {
  program("a").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  for (int i = 1; i <= 5; ++i) says(state, 1, static_cast<std::uint64_t>(i * 10), i * 10);
  program("b").submit(state, at_second(50));
  ASSERT_EQ(start_what_fits(state, at_second(50)), Jobs{2});
  run(state, 2, at_second(50));
  for (int i = 1; i <= 5; ++i) says(state, 1, static_cast<std::uint64_t>(50 + i * 5), 50 + i * 10);
  look(state, 101);
}

TEST(SlowPairs, AreNotPutTogetherAgain) {
  State state = watched(1);
  slow_each_other(state);
  finish(state, 2, 0, at_second(102));
  program("b").submit(state, at_second(103));
  EXPECT_EQ(start_what_fits(state, at_second(103)), Jobs{});
  const auto why = why_waiting(state, *state.find(JobId{3}), at_second(103));
  ASSERT_FALSE(why.empty());
  expect_reason(ReasonCode::kSlowPair, why.front());
  program("c").vram(3).submit(state, at_second(104));
  EXPECT_EQ(start_what_fits(state, at_second(104)), Jobs{4}) << "others may join it";
  finish(state, 1, 0, at_second(110));
  EXPECT_EQ(start_what_fits(state, at_second(110)), Jobs{3});
}

TEST(SlowPairs, GoToAnotherCard) {
  State state = watched(2);
  slow_each_other(state);
  finish(state, 2, 0, at_second(102));
  program("b").submit(state, at_second(103));
  EXPECT_EQ(start_what_fits(state, at_second(103)), Jobs{3});
  EXPECT_EQ(cards_of(state, 3), std::vector<int>{1});
}

TEST(SlowPairs, AReservationWaitsForTheNeighbourToEnd) {
  State state = watched(1);
  slow_each_other(state);
  finish(state, 2, 0, at_second(102));
  program("b").time(60).submit(state, at_second(103));
  const Decided decided = decide(state, at_second(103));
  ASSERT_TRUE(decided.reserved && decided.reserved->start);
  EXPECT_GT(*decided.reserved->start, at_second(300).wall) << "when job 1 should be over";
}

TEST(SlowPairs, AreBounded) {
  SlowPairs pairs;
  for (std::uint64_t i = 1; i <= SlowPairs::kMost + 1; ++i) {
    pairs.add(SignatureId{i}, SignatureId{i + 1});
  }
  EXPECT_FALSE(pairs.contains(SignatureId{1}, SignatureId{2}));
  EXPECT_TRUE(pairs.contains(SignatureId{3}, SignatureId{2}));
  pairs.add(SignatureId{}, SignatureId{7});
  EXPECT_FALSE(pairs.contains(SignatureId{}, SignatureId{7}));
}

}  // namespace
}  // namespace gpusched::testing
