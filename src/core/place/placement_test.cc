#include "core/place/placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

State placed_by(Placement placement, int cards) {
  Rules rules;
  rules.placement = placement;
  return machine(cards, 24, 64, rules);
}

TEST(Placement, PackKeepsWhatOthersWaitFor) {
  State state = machine(2, 24);
  ask().vram(8).share(10).submit(state, at_second(0));
  start_what_fits(state, at_second(0));  // On card 0, which has 16 left, 14.8 of it to share.
  // One of 20 waits for the other card: best fit and this rule both leave that one alone.
  ask().vram(4).share(10).submit(state, at_second(1));
  ask().vram(20).share(10).priority(41).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)).size(), 2u);
  EXPECT_EQ(cards_of(state, 2), std::vector<int>{0});
  EXPECT_EQ(cards_of(state, 3), std::vector<int>{1});
}

TEST(Placement, PackPrefersTheCardWhereLeastIsLostToTheFullest) {
  State state = machine(2, 24);
  Ask first = ask();
  first.spec().needs.cards.edit().only.numbers = {CardNumber{0}};
  first.vram(10).share(10).submit(state, at_second(0));  // 12.8 GiB to share are left.
  Ask second = ask();
  second.spec().needs.cards.edit().only.numbers = {CardNumber{1}};
  second.vram(6).share(10).submit(state, at_second(0));  // 16.8 GiB.
  start_what_fits(state, at_second(0));
  // Many of 12 wait. 4 more on the fuller card would leave it useless to them; on the other one
  // there is still room for one. Best fit alone would take the fuller.
  apply(state, GroupSetAsked{ourselves(), "later", 1}, at_second(0));
  Ask small = ask();
  small.vram(4).share(10).priority(60).submit(state, at_second(1));
  for (int i = 0; i < 4; ++i) ask().vram(12).share(10).submit(state, at_second(2));
  start_what_fits(state, at_second(3));
  EXPECT_EQ(cards_of(state, 3), std::vector<int>{1});
  EXPECT_EQ(cards_of(state, 4), std::vector<int>{0});
  EXPECT_EQ(cards_of(state, 5), std::vector<int>{1});
}

TEST(Placement, SpreadTakesTheEmptiest) {
  State state = placed_by(Placement::kSpread, 3);
  for (int i = 0; i < 4; ++i) ask().vram(4).share(10).submit(state, at_second(i));
  start_what_fits(state, at_second(4));
  for (const int job : {0, 1, 2, 3}) {
    EXPECT_EQ(cards_of(state, static_cast<std::uint64_t>(job) + 1), std::vector<int>{job % 3});
  }
}

RC_GTEST_PROP(Placement, RoundRobinGivesEqualCardsEquallyOften, ()) {
  const int cards = *rc::gen::inRange(1, 6);
  State state = placed_by(Placement::kRoundRobin, cards);
  std::vector<int> granted(static_cast<std::size_t>(cards), 0);
  std::uint64_t next = 1;
  const int rounds = *rc::gen::inRange(1, 40);
  for (int i = 0; i < rounds; ++i) {
    const int together = *rc::gen::inRange(1, 4);
    for (int k = 0; k < together; ++k) ask().vram(1).share(1).submit(state, at_second(i));
    for (const std::uint64_t job : start_what_fits(state, at_second(i))) {
      ++granted[static_cast<std::size_t>(cards_of(state, job).front())];
      next = job + 1;
      finish(state, job, 0, at_second(i));
    }
    const auto [least, most] = std::ranges::minmax(granted);
    RC_ASSERT(most - least <= 1);
  }
  RC_ASSERT(next > 1u);
}

TEST(Placement, AGangGoesToLinkedCards) {
  State state = machine(6, 24);
  std::vector<Card> cards = state.cards();
  for (const std::size_t i : {1u, 4u}) cards[i].link_group = 0;
  for (const std::size_t i : {2u, 3u, 5u}) cards[i].link_group = 1;
  state.set_cards(std::move(cards));
  ask().gpus(2).submit(state, at_second(0));
  ask().gpus(3).submit(state, at_second(1));
  start_what_fits(state, at_second(2));
  EXPECT_EQ(cards_of(state, 1), (std::vector<int>{1, 4}));
  EXPECT_EQ(cards_of(state, 2), (std::vector<int>{2, 3, 5}));
}

// Whatever the rule and the load: a job has all its cards, each once, and none without it.
RC_GTEST_PROP(Placement, AGangIsNeverSplit, ()) {
  const auto rule = *rc::gen::element(Placement::kPack, Placement::kSpread, Placement::kRoundRobin);
  State state = placed_by(rule, 5);
  for (int i = 0; i < *rc::gen::inRange(1, 30); ++i) {
    Ask job = ask();
    job.gpus(*rc::gen::inRange(1, 6));
    if (*rc::gen::arbitrary<bool>()) job.vram(*rc::gen::inRange<std::uint64_t>(1, 20)).share(10);
    job.submit(state, at_second(i));
    for (const std::uint64_t started : start_what_fits(state, at_second(i))) {
      std::vector<int> cards = cards_of(state, started);
      RC_ASSERT(static_cast<int>(cards.size()) ==
                state.find(JobId{started})->spec->needs.gpus.least);
      RC_ASSERT(std::ranges::adjacent_find(cards) == cards.end());
    }
    if (!state.active().empty() && *rc::gen::arbitrary<bool>()) {
      finish(state, number_of(*state.active().begin()), 0, at_second(i));
    }
    state.check_invariants();
  }
}

}  // namespace
}  // namespace gpusched::testing
