#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

TEST(Submit, ANeedThatNoCardCanEverSatisfyIsRefusedAndNamesTheLargest) {
  State state = machine(2, 24);
  EXPECT_EQ(refusal_of(ask().vram(80).submit(state, at_second(0))),
            "no card can ever hold 80.0 GiB; the largest card here is number 0 (Test 24G) with "
            "24.0 GiB");
  EXPECT_TRUE(state.jobs().empty());
}

TEST(Submit, MoreCardsThanThereAreIsRefused) {
  State state = machine(2, 24);
  EXPECT_NE(refusal_of(ask().gpus(3).submit(state, at_second(0))).find("needs 3 card(s)"),
            std::string::npos);
  EXPECT_NE(refusal_of(ask().gpus(0).cpus(99).submit(state, at_second(0))).find("99 CPUs"),
            std::string::npos);
}

TEST(Submit, AMachineWithoutCardsSaysHowToGoOn) {
  State state = machine(0, 0);
  EXPECT_EQ(refusal_of(ask().submit(state, at_second(0))),
            "this machine has no GPU card; ask for --gpus 0 to run on CPUs");
}

TEST(Submit, ADependencyOnAnUnknownOrFailedJobIsRefused) {
  State state = machine(1, 24);
  EXPECT_EQ(refusal_of(ask().after(9).submit(state, at_second(0))),
            "there is no job 9 to wait for");
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 1, at_second(1));
  EXPECT_EQ(refusal_of(ask().after(1).submit(state, at_second(2))),
            "job 1 has already ended as failed, so waiting for its success would never end");
  EXPECT_EQ(refusal_of(ask().after(1, DependencyKind::kFail).submit(state, at_second(2))),
            "accepted");
}

TEST(Submit, TheSameKeyAnswersTheFirstIdsAndAnotherContentIsAConflict) {
  State state = machine(1, 24);
  const Answer first = ask().key("once").array(3).submit(state, at_second(0));
  EXPECT_EQ(std::get<Submitted>(first).count, 3u);
  const Answer again = ask().key("once").array(3).submit(state, at_second(1));
  EXPECT_TRUE(std::get<Submitted>(again).repeated);
  EXPECT_EQ(std::get<Submitted>(again).first, JobId{1});
  Ask other = ask();
  other.key("once").spec().argv = {"false"};
  EXPECT_NE(refusal_of(other.submit(state, at_second(2))).find("another content"),
            std::string::npos);
  EXPECT_EQ(state.jobs().size(), 3u);
}

TEST(Submit, AnEmptyArrayIsRefused) {
  State state = machine(1, 24);
  EXPECT_EQ(refusal_of(ask().array(0).submit(state, at_second(0))), "the array has no jobs");
}

TEST(Submit, JobsOfALargeSubmissionExistOnlyWhenAllOfItIsThere) {
  State state = machine(4, 24);
  SubmitAsked slice = ask().array(2).event();
  slice.total = 4;
  slice.last_slice = false;
  apply(state, slice, at_second(0));
  EXPECT_TRUE(start_what_fits(state, at_second(0)).empty());
  EXPECT_TRUE(state.in_open_submission(JobId{1}));
  // Somebody else's ids come after the whole reserved range.
  ask().hold().submit(state, at_second(1));
  EXPECT_EQ(state_of(state, 5), "held");
  slice.offset = 2;
  slice.first_slice = false;
  slice.last_slice = true;
  EXPECT_EQ(std::get<Submitted>(apply(state, slice, at_second(2)).answer).count, 4u);
  state.keep_changes();
  EXPECT_FALSE(state.release_closed_submissions(100, at_second(2)));
  EXPECT_EQ(start_what_fits(state, at_second(3)).size(), 4u);
  state.check_invariants();
}

TEST(Submit, AnAbandonedSubmissionLeavesNothingBehind) {
  State state = machine(4, 24);
  SubmitAsked slice = ask().array(2).event();
  slice.total = 4;
  slice.last_slice = false;
  apply(state, slice, at_second(0));
  apply(state, SubmissionAbandoned{slice.submission}, at_second(1));
  EXPECT_TRUE(state.jobs().empty());
  state.keep_changes();
  state.release_closed_submissions(100, at_second(1));
  state.check_invariants();
}

TEST(Submit, ATurnThatFailsToCommitIsUndoneExactly) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().after(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  state.keep_changes();

  finish(state, 1, 0, at_second(5));
  EXPECT_EQ(start_what_fits(state, at_second(5)), std::vector<std::uint64_t>{2});
  ask().key("x").submit(state, at_second(5));
  state.roll_back(at_second(6));

  EXPECT_EQ(state_of(state, 1), "running");
  EXPECT_EQ(state_of(state, 2), "queued");
  EXPECT_EQ(state_of(state, 3), "gone");
  EXPECT_EQ(state.find_submission("user0", "x"), nullptr);
  EXPECT_TRUE(state.asleep().contains(JobId{2}));
  EXPECT_TRUE(state.changes().empty());
  state.check_invariants();
}

}  // namespace
}  // namespace gpusched::testing
