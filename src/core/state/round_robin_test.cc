#include "core/state/round_robin.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/apply/apply.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

Ask turn() {
  Ask one = ask();
  one.spec().lease = std::make_shared<LeaseTerms>(LeaseTerms{.pid = 1, .by_turns = true});
  return one;
}

Grant on(int card) {
  Grant grant;
  grant.cards.push_back({.card = CardNumber{static_cast<std::uint16_t>(card)}});
  return grant;
}

TEST(RoundRobin, GoesAroundThroughOneDecision) {
  State state = machine(3, 24);
  for (int i = 0; i < 6; ++i) turn().vram(4).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (std::uint64_t id = 1; id <= 6; ++id) {
    EXPECT_EQ(cards_of(state, id), std::vector<int>{static_cast<int>((id - 1) % 3)});
  }
}

TEST(RoundRobin, GoesOnWhereItStoppedWhenAllIsFreeAgain) {
  State state = machine(3, 24);
  for (std::uint64_t id = 1; id <= 6; ++id) {
    turn().submit(state, at_second(0));
    start_what_fits(state, at_second(0));
    EXPECT_EQ(cards_of(state, id), std::vector<int>{static_cast<int>((id - 1) % 3)});
    apply(state, LeaseReleaseAsked{ourselves(), {JobId{id}}}, at_second(0));
  }
}

TEST(RoundRobin, ANewCardNeedNotCatchUp) {
  State state = machine(1, 24);
  CardTurns turns;
  turns.admit(state.cards());
  for (int i = 0; i < 5; ++i) turns.count(on(0));
  State larger = machine(2, 24);
  turns.admit(larger.cards());
  EXPECT_EQ(turns.of(CardNumber{1}), 5u);
}

// Grants and releases in any order, of any size that fits everywhere: no two cards differ by more
// than one. What does not fit somewhere goes to the card among the fitting ones that had least.
RC_GTEST_PROP(RoundRobin, EqualCardsDifferByAtMostOne, ()) {
  const int cards = *rc::gen::inRange(1, 9);
  State state = machine(cards, 24);
  std::vector<int> grants(static_cast<std::size_t>(cards), 0);
  std::vector<JobId> held;
  const int steps = *rc::gen::inRange(1, 120);
  for (int step = 0; step < steps; ++step) {
    if (!held.empty() && *rc::gen::inRange(0, 3) == 0) {
      const auto which = *rc::gen::inRange<std::size_t>(0, held.size());
      apply(state, LeaseReleaseAsked{ourselves(), {held[which]}}, at_second(step));
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      continue;
    }
    // At most one in a hundred of a card each: every card can take every request of the run.
    const int wanted = *rc::gen::inRange(1, cards + 1);
    const JobId id = state.next_job();
    Ask one = turn();
    one.spec().needs.vram_bytes = 64ULL << 20;
    one.gpus(wanted).submit(state, at_second(step));
    start_what_fits(state, at_second(step));
    RC_ASSERT(state_of(state, number_of(id)) == "running");
    for (const int card : cards_of(state, number_of(id))) ++grants[static_cast<std::size_t>(card)];
    held.push_back(id);
    const auto [least, most] = std::ranges::minmax(grants);
    RC_ASSERT(most - least <= 1);
  }
}

RC_GTEST_PROP(RoundRobin, TakesTheFittingCardThatHadLeast, ()) {
  const int cards = *rc::gen::inRange(1, 6);
  State state = machine(cards, 24);
  std::vector<int> grants(static_cast<std::size_t>(cards), 0);
  std::vector<JobId> held;
  for (int step = 0; step < 60; ++step) {
    if (!held.empty() && *rc::gen::inRange(0, 2) == 0) {
      const auto which = *rc::gen::inRange<std::size_t>(0, held.size());
      apply(state, LeaseReleaseAsked{ourselves(), {held[which]}}, at_second(step));
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      continue;
    }
    std::optional<int> least;
    for (int card = 0; card < cards; ++card) {
      const bool free = state.holds_on(static_cast<std::size_t>(card)).jobs == 0;
      const int had = grants[static_cast<std::size_t>(card)];
      if (free && (!least || had < *least)) least = had;
    }
    const JobId id = state.next_job();
    turn().submit(state, at_second(step));
    start_what_fits(state, at_second(step));
    if (!least) {
      RC_ASSERT(state_of(state, number_of(id)) == "queued");
      apply(state, LeaseReleaseAsked{ourselves(), {id}}, at_second(step));
      continue;
    }
    const auto card = static_cast<std::size_t>(cards_of(state, number_of(id)).front());
    RC_ASSERT(grants[card]++ == *least);
    held.push_back(id);
  }
}

}  // namespace
}  // namespace gpusched::testing
