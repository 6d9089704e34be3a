#include "core/decide/look_first.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

using Cards = std::vector<CardNumber>;
const CardNumber kFirst{0};
const CardNumber kSecond{1};

void see(State& state, CardNumber card, Now taken, Now now, std::uint64_t used_gib = 0,
         CardCondition condition = CardCondition::kOk) {
  CardView view{.condition = condition, .reason = {}, .at = taken};
  view.used_bytes = used_gib * kGiB;
  apply(state, CardSeen{card, view}, now);
}

Now at_ms(std::int64_t ms) {
  const Microseconds part = std::chrono::milliseconds{ms};
  return {at_second(0).wall + part, at_second(0).boot + part};
}

struct Turn {
  int starts = 0;
  Cards looks;
};
Turn turn(State& state, Now now) {
  Turn done;
  for (const Decision& decision : decide(state, now).decisions) {
    const Applied applied = accept(state, decision, now);
    done.starts += static_cast<int>(applied.effects.size());
    done.looks.insert(done.looks.end(), applied.looks.begin(), applied.looks.end());
  }
  return done;
}

TEST(LookFirst, MemoryThatWasTakenSinceTheLastLookIsSeenBeforeTheStart) {
  State state = machine(1, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  ask().vram(20).submit(state, at_ms(8000));
  Turn first = turn(state, at_ms(8000));
  EXPECT_EQ(first.starts, 0);
  EXPECT_EQ(first.looks, Cards{kFirst});
  see(state, kFirst, at_ms(8010), at_ms(8011), 10);
  EXPECT_EQ(turn(state, at_ms(8011)).starts, 0) << "it would have died";
  see(state, kFirst, at_ms(9000), at_ms(9001), 0);
  EXPECT_EQ(turn(state, at_ms(9001)).starts, 1);
}

TEST(LookFirst, ALookOfTheLastSecondIsEnough) {
  State state = machine(1, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  ask().vram(20).submit(state, at_ms(1000));
  EXPECT_EQ(turn(state, at_ms(1000)).starts, 1);
}

TEST(LookFirst, OneLookIsAskedForAndAgainIfItDoesNotCome) {
  State state = machine(1, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  ask().vram(2).submit(state, at_ms(8000));
  ask().vram(2).submit(state, at_ms(8000));
  EXPECT_EQ(turn(state, at_ms(8000)).looks, Cards{kFirst});
  EXPECT_EQ(turn(state, at_ms(8500)).looks, Cards{}) << "it is on its way";
  EXPECT_EQ(state.next_deadline(at_ms(8500)), at_ms(9000).boot);
  apply(state, TimePassed{}, at_ms(9000));
  EXPECT_EQ(turn(state, at_ms(9000)).looks, Cards{kFirst});
  EXPECT_EQ(turn(state, at_ms(9000)).starts, 0);
}

TEST(LookFirst, ALookThatWasTakenBeforeItWasAskedForIsNoAnswer) {
  State state = machine(1, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  ask().vram(2).submit(state, at_ms(8000));
  turn(state, at_ms(8000));
  see(state, kFirst, at_ms(7000), at_ms(8500));
  EXPECT_EQ(turn(state, at_ms(8500)).starts, 0);
}

TEST(LookFirst, OnABusyMachineAnAnswerThatComesLateIsOneAllTheSame) {
  State state = machine(1, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  ask().vram(2).submit(state, at_ms(8000));
  turn(state, at_ms(8000));
  see(state, kFirst, at_ms(8010), at_ms(12'000));
  EXPECT_EQ(turn(state, at_ms(12'000)).starts, 1);
}

TEST(LookFirst, ButNotAnAnswerThatLayAroundForLong) {
  State state = machine(1, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  ask().vram(2).submit(state, at_ms(8000));
  turn(state, at_ms(8000));
  see(state, kFirst, at_ms(8010), at_ms(60'000));
  const Turn late = turn(state, at_ms(60'000));
  EXPECT_EQ(late.starts, 0);
  EXPECT_EQ(late.looks, Cards{kFirst});
}

TEST(LookFirst, ACardThatDoesNotAnswerGetsNothingAndAnotherDoes) {
  State state = machine(2, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  see(state, kSecond, at_ms(0), at_ms(0));
  ask().vram(2).submit(state, at_ms(8000));
  EXPECT_EQ(turn(state, at_ms(8000)).looks, Cards{kFirst});
  see(state, kFirst, at_ms(10'000), at_ms(10'000), 0, CardCondition::kUnknown);
  EXPECT_EQ(turn(state, at_ms(10'000)).looks, Cards{kSecond});
  see(state, kSecond, at_ms(10'010), at_ms(10'010));
  EXPECT_EQ(turn(state, at_ms(10'010)).starts, 1);
  EXPECT_EQ(cards_of(state, 1), std::vector<int>{1});
}

TEST(LookFirst, AGangWaitsForTheLooksAtAllItsCards) {
  State state = machine(2, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  see(state, kSecond, at_ms(0), at_ms(0));
  ask().gpus(2).submit(state, at_ms(8000));
  EXPECT_EQ(turn(state, at_ms(8000)).looks, (Cards{kFirst, kSecond}));
  see(state, kFirst, at_ms(8005), at_ms(8005));
  EXPECT_EQ(turn(state, at_ms(8005)).starts, 0);
  see(state, kSecond, at_ms(8300), at_ms(8300));
  EXPECT_EQ(turn(state, at_ms(8300)).starts, 1);
}

TEST(LookFirst, WhereNobodyLooksNobodyIsWaitedFor) {
  State state = machine(1, 24);
  ask().vram(2).submit(state, at_ms(8000));
  EXPECT_EQ(turn(state, at_ms(8000)).starts, 1);
}

TEST(LookFirst, WhatNeedsNoCardIsNotConcerned) {
  State state = machine(1, 24);
  see(state, kFirst, at_ms(0), at_ms(0));
  ask().gpus(0).submit(state, at_ms(8000));
  EXPECT_EQ(turn(state, at_ms(8000)).starts, 1);
}

}  // namespace
}  // namespace gpusched::testing
