// What very many jobs were given the same time for comes in slices: others have their turns
// between.
#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

TEST(TimeSlices, WhatExpiresAtOnceEndsInSlices) {
  State state = machine(1, 24);
  Ask many = ask().hold().array(1300);
  many.spec().extras.edit().expire = at_second(10).wall;
  many.submit(state, at_second(0));
  const Now now = at_second(11);
  int turns = 0;
  while (state.counts().held > 0) {
    const auto before = state.counts().held;
    ASSERT_LE(*state.next_deadline(now), now.boot);
    apply(state, TimePassed{}, now);
    ASSERT_LT(state.counts().held, before);
    EXPECT_LE(before - state.counts().held, 500u);
    ++turns;
  }
  EXPECT_EQ(turns, 3);
  EXPECT_EQ(state.counts().cancelled, 1300u);
}

TEST(TimeSlices, WhatMayBeginAtOnceIsWokenInSlices) {
  State state = machine(1, 24);
  Ask many = ask().array(4500);
  many.spec().extras.edit().begin = at_second(10).wall;
  many.submit(state, at_second(0));
  ASSERT_EQ(state.asleep().size(), 4500u);
  const Now now = at_second(11);
  int turns = 0;
  while (!state.asleep().empty()) {
    const auto before = state.asleep().size();
    ASSERT_LE(*state.next_deadline(now), now.boot);
    apply(state, TimePassed{}, now);
    ASSERT_LT(state.asleep().size(), before);
    EXPECT_LE(before - state.asleep().size(), 2000u);
    ++turns;
  }
  EXPECT_EQ(turns, 3);
}

}  // namespace
}  // namespace gpusched::testing
