#include "core/state/adaptive_cap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

constexpr AdaptiveRules kAdaptive{.on = true};

Boot minute(double minutes) {
  return Boot{Microseconds{static_cast<std::int64_t>(minutes * 60e6)}};
}
CapEvidence shared_well() { return {.jobs = 2, .throttled = false}; }
CapEvidence shared_hot() { return {.jobs = 2, .throttled = true}; }

TEST(AdaptiveCap, RisesByOneAMinuteUpToTheRange) {
  AdaptiveCap cap = first_cap(kAdaptive, 90, minute(0));
  EXPECT_EQ(cap.percent, 90);
  for (int second = 1; second <= 59; ++second) {
    cap = moved_cap(cap, shared_well(), kAdaptive, minute(second / 60.0));
  }
  EXPECT_EQ(cap.percent, 90);
  cap = moved_cap(cap, shared_well(), kAdaptive, minute(1));
  EXPECT_EQ(cap.percent, 91);
  for (int i = 2; i < 20; ++i) cap = moved_cap(cap, shared_well(), kAdaptive, minute(i));
  EXPECT_EQ(cap.percent, 95);
  EXPECT_EQ(cap.why, CapReason::kRoom);
  expect_words(describe(cap));
}

TEST(AdaptiveCap, FallsByThreeAtOnceAndStaysDownForAWhile) {
  AdaptiveCap cap =
      moved_cap(first_cap(kAdaptive, 90, minute(0)), shared_hot(), kAdaptive, minute(0));
  EXPECT_EQ(cap.percent, 87);
  EXPECT_EQ(moved_cap(cap, shared_hot(), kAdaptive, minute(0.1)).percent, 87);
  for (int i = 1; i < 5; ++i) cap = moved_cap(cap, shared_well(), kAdaptive, minute(i));
  EXPECT_EQ(cap.percent, 87);
  EXPECT_EQ(moved_cap(cap, shared_well(), kAdaptive, minute(5)).percent, 88);
}

TEST(AdaptiveCap, SlowJobsLowerItAndMildSlownessHoldsIt) {
  const AdaptiveCap cap = first_cap(kAdaptive, 90, minute(0));
  CapEvidence slow{.jobs = 2, .throttled = false, .hot = false, .slowdown_percent = 20.4};
  const AdaptiveCap lower = moved_cap(cap, slow, kAdaptive, minute(1));
  EXPECT_EQ(lower.percent, 87);
  EXPECT_EQ(lower.why, CapReason::kSlowdown);
  expect_words(describe(lower));
  slow.slowdown_percent = 12;
  EXPECT_EQ(moved_cap(cap, slow, kAdaptive, minute(1)).percent, 90);
  slow.slowdown_percent = 5;
  EXPECT_EQ(moved_cap(cap, slow, kAdaptive, minute(1)).percent, 91);
}

TEST(AdaptiveCap, OneJobAloneSaysNothing) {
  const AdaptiveCap cap = first_cap(kAdaptive, 90, minute(0));
  EXPECT_EQ(moved_cap(cap, {.jobs = 1, .throttled = true}, kAdaptive, minute(9)), cap);
  EXPECT_EQ(moved_cap(cap, {.jobs = 0}, kAdaptive, minute(9)), cap);
}

RC_GTEST_PROP(AdaptiveCap, StaysInItsRangeAndMovesSlowlyWhateverComes, ()) {
  AdaptiveRules rules{.on = true};
  rules.least_percent = *rc::gen::inRange(50, 90);
  rules.most_percent = rules.least_percent + *rc::gen::inRange(0, 10);
  double at = 0;
  AdaptiveCap cap = first_cap(rules, *rc::gen::inRange(0, 120), minute(at));
  for (int i = 0; i < 200; ++i) {
    at += *rc::gen::inRange(0, 200) / 100.0;
    CapEvidence evidence{.jobs = *rc::gen::inRange(0, 4)};
    if (*rc::gen::arbitrary<bool>()) evidence.throttled = *rc::gen::arbitrary<bool>();
    evidence.hot = *rc::gen::inRange(0, 10) == 0;
    if (*rc::gen::arbitrary<bool>()) evidence.slowdown_percent = *rc::gen::inRange(-50, 300);
    const AdaptiveCap next = moved_cap(cap, evidence, rules, minute(at));
    RC_ASSERT(next.percent >= rules.least_percent && next.percent <= rules.most_percent);
    RC_ASSERT(next.percent - cap.percent <= 1 && cap.percent - next.percent <= 3);
    if (next.percent > cap.percent) RC_ASSERT(minute(at) - cap.moved >= std::chrono::minutes{1});
    cap = next;
  }
}

// A card that suffers above some cap and not at or below it: the cap comes to stay near it.
RC_GTEST_PROP(AdaptiveCap, ConvergesOnWhatTheCardBears, ()) {
  const int bears = *rc::gen::inRange(80, 96);
  AdaptiveCap cap = first_cap(kAdaptive, *rc::gen::inRange(80, 96), minute(0));
  for (int i = 1; i <= 600; ++i) {
    const double at = i / 6.0;
    cap = moved_cap(cap, cap.percent > bears ? shared_hot() : shared_well(), kAdaptive, minute(at));
    if (i > 300) RC_ASSERT(cap.percent <= bears + 1 && cap.percent >= std::max(80, bears - 3));
  }
}

TEST(PaceBook, MeasuresCompanyAgainstBeingAlone) {
  PaceBook book;
  const AttemptId one{JobId{1}, 1};
  const AttemptId other{JobId{2}, 1};
  const SignatureId same{7};
  book.report(one, same, 10, Seconds{10}, true);
  EXPECT_FALSE(book.slowdown_of(one));
  book.report(one, same, 20, Seconds{20}, true);
  book.report(one, same, 30, Seconds{35}, false);  // Company came in between: says nothing.
  EXPECT_FALSE(book.slowdown_of(one));
  book.report(one, same, 40, Seconds{50}, false);
  ASSERT_TRUE(book.slowdown_of(one));
  EXPECT_NEAR(*book.slowdown_of(one), 50, 1e-6);
  // Another run of the same program, never alone itself.
  book.report(other, same, 1, Seconds{0}, false);
  book.report(other, same, 11, Seconds{12}, false);
  EXPECT_NEAR(*book.slowdown_of(other), 20, 1e-6);
  book.report(one, same, 50, Seconds{60}, true);
  EXPECT_FALSE(book.slowdown_of(one));
}

// The whole way: looks at a card that is throttled while two jobs share it.
State shared_card(Rules rules) {
  State state = machine(1, 24, 8, rules);
  for (int i = 0; i < 2; ++i) ask().vram(4).share(40).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  run(state, 2, at_second(0));
  return state;
}
CardSeen throttled_look(std::int64_t second) {
  CardSeen seen{CardNumber{0}, {}};
  seen.view.condition = CardCondition::kOk;
  seen.view.at = at_second(second);
  seen.view.vitals.throttled = true;
  return seen;
}

TEST(AdaptiveCap, LooksAtACardMoveItsCapAndWhatMayJoin) {
  Rules rules;
  rules.adaptive_cap.on = true;
  State state = shared_card(rules);
  for (const int second : {10, 30, 50, 70, 90}) {
    apply(state, throttled_look(second), at_second(second));
  }
  ASSERT_NE(state.seen().cap_of("GPU-0"), nullptr);
  EXPECT_EQ(state.seen().cap_of("GPU-0")->percent, 80);
  EXPECT_EQ(state.cards()[0].share_cap_percent, 80);
  ask().vram(4).share(8).submit(state, at_second(100));
  EXPECT_TRUE(decide(state, at_second(100)).decisions.empty());
  // It stays with the card when cards are listed anew.
  state.set_cards(
      {{.number = CardNumber{0}, .uuid = "GPU-0", .model = "Test 24G", .vram_bytes = 24 * kGiB}});
  EXPECT_EQ(state.cards()[0].share_cap_percent, 80);
}

TEST(AdaptiveCap, OffChangesNothing) {
  State state = shared_card({});
  apply(state, throttled_look(10), at_second(10));
  EXPECT_EQ(state.seen().cap_of("GPU-0"), nullptr);
  EXPECT_FALSE(state.cards()[0].share_cap_percent);
  ask().vram(4).share(8).submit(state, at_second(100));
  EXPECT_EQ(decide(state, at_second(100)).decisions.size(), 1U);
}

TEST(AdaptiveCap, WhatTheConfigurationSaysOfACardStands) {
  Rules rules;
  rules.adaptive_cap.on = true;
  State state = shared_card(rules);
  std::vector<Card> cards = state.cards();
  cards[0].share_cap_percent = 92;
  state.set_cards(cards);
  apply(state, throttled_look(10), at_second(10));
  EXPECT_EQ(state.cards()[0].share_cap_percent, 92);
}

}  // namespace
}  // namespace gpusched::testing
