#include "core/apply/outlook.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

Outlook outlook_for(const State& state, const Ask& asked) {
  return outlook_of(excerpt_of(state, kLookedAheadMost, at_second(9)), asked.event());
}

TEST(Outlook, OfAJobThatFitsHasItsCards) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Outlook outlook = outlook_for(state, ask());
  ASSERT_TRUE(outlook.grant);
  ASSERT_EQ(outlook.grant->cards.size(), 1U);
  EXPECT_NE(number_of(outlook.grant->cards[0].card), cards_of(state, 1)[0]);
  EXPECT_EQ(state.find(JobId{2}), nullptr) << "nothing was submitted";
}

TEST(Outlook, OfAJobThatWaitsHasTheReasonAndTheTime) {
  State state = machine(1, 24);
  ask().time(600).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  const Outlook outlook = outlook_for(state, ask());
  EXPECT_FALSE(outlook.grant);
  ASSERT_FALSE(outlook.reasons.empty());
  EXPECT_EQ(outlook.reasons[0].code, ReasonCode::kCards);
  ASSERT_TRUE(outlook.start);
  EXPECT_GT(outlook.start->likely, at_second(9).wall);
}

TEST(Outlook, SaysWhyNobodyKnowsWhen) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  const Outlook outlook = outlook_for(state, ask());
  EXPECT_FALSE(outlook.start);
  expect_words(outlook.start_unknown);
}

TEST(Outlook, WarnsAsTheSubmissionItselfWould) {
  State state = machine(1, 24);
  EXPECT_EQ(outlook_for(state, ask()).warning, "");
  expect_words(outlook_for(state, ask().time(3600).deadline(at_second(100).wall)).warning);
  expect_words(outlook_for(state, ask().group("nihgt")).warning);
}

TEST(Outlook, OfASweepIsThatOfItsFirstJob) {
  State state = machine(1, 24);
  EXPECT_TRUE(outlook_for(state, ask().array(1000).key("once")).grant);
  EXPECT_EQ(outlook_for(state, ask().hold()).reasons.at(0).code, ReasonCode::kHeld);
}

}  // namespace
}  // namespace gpusched::testing
