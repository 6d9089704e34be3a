// Jobs that are paused and resumed by hand.
#include <gtest/gtest.h>

#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

TEST(Pause, ByHandStaysAsideUntilItIsResumed) {
  State state = moving_machine(1, 24);
  ask().submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  const Principal root = ourselves();
  const Applied paused = apply(state, PauseAsked{root, {JobId{1}}}, at_second(1));
  EXPECT_EQ(who<MoveAside>(paused.effects), JobNumbers{1});
  has_moved(state, 1, 3, 2);
  EXPECT_TRUE(take_turn(state, 1000).empty());
  ask().submit(state, at_second(1000));
  EXPECT_EQ(who<Launch>(take_turn(state, 1000)), JobNumbers{2}) << "its card is free";
  apply(state, ResumeAsked{root, {JobId{1}}}, at_second(1001));
  EXPECT_TRUE(take_turn(state, 1001).empty()) << "no room yet";
  run(state, 2, at_second(1001));
  finish(state, 2, 0, at_second(1010));
  EXPECT_EQ(who<BringBack>(take_turn(state, 1010)), JobNumbers{1});
}

TEST(Pause, AJobThatIsAsideCanBeCancelled) {
  State state = moving_machine(1, 24);
  ask().submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  const Principal root = ourselves();
  apply(state, PauseAsked{root, {JobId{1}}}, at_second(1));
  has_moved(state, 1, 3, 2);
  const Applied cancelled = apply(state, CancelAsked{root, {JobId{1}}, {}}, at_second(3));
  EXPECT_EQ(who<StopAttempt>(cancelled.effects), JobNumbers{1});
  finish(state, 1, 143, at_second(4));
  EXPECT_EQ(state_of(state, 1), "cancelled");
  EXPECT_EQ(state.host_holds().ram_bytes, 0u);
  state.check_invariants();
}

}  // namespace
}  // namespace gpusched::testing
