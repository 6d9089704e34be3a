#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

TEST(Submit, ANeedThatNoCardCanEverSatisfyIsRefusedAndNamesTheLargest) {
  State state = machine(2, 24);
  expect_refused(RefusalKind::kNeverFits, ask().vram(80).submit(state, at_second(0)));
  EXPECT_TRUE(state.jobs().empty());
}

TEST(Submit, MoreCardsThanThereAreIsRefused) {
  State state = machine(2, 24);
  expect_refused(RefusalKind::kNeverFits, ask().gpus(3).submit(state, at_second(0)));
  expect_refused(RefusalKind::kNeverFits, ask().gpus(0).cpus(99).submit(state, at_second(0)));
}

TEST(Submit, AMachineWithoutCardsSaysHowToGoOn) {
  State state = machine(0, 0);
  expect_refused(RefusalKind::kNeverFits, ask().submit(state, at_second(0)));
}

TEST(Submit, ADependencyOnAnUnknownOrFailedJobIsRefused) {
  State state = machine(1, 24);
  expect_refused(RefusalKind::kNotFound, ask().after(9).submit(state, at_second(0)));
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 1, at_second(1));
  expect_refused(RefusalKind::kConflict, ask().after(1).submit(state, at_second(2)));
  EXPECT_TRUE(accepted(ask().after(1, DependencyKind::kFail).submit(state, at_second(2))));
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
  expect_refused(RefusalKind::kConflict, other.submit(state, at_second(2)));
  EXPECT_EQ(state.jobs().size(), 3u);
}

TEST(Submit, AnEmptyArrayIsRefused) {
  State state = machine(1, 24);
  expect_refused(RefusalKind::kInvalid, ask().array(0).submit(state, at_second(0)));
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

TEST(Submit, AKeyBelongsToAUserWhateverTheTenant) {
  State state = machine(1, 24);
  const auto submit = [&](const char* user, const char* tenant) {
    SubmitAsked asked = ask().key("nightly").event();
    asked.owner.user = user;
    asked.tenant = tenant;
    return std::get<Submitted>(apply(state, asked, at_second(0)).answer);
  };
  EXPECT_EQ(submit("ml1", "lab").first, JobId{1});
  const Submitted other = submit("ml2", "lab");
  EXPECT_EQ(other.first, JobId{2});
  EXPECT_FALSE(other.repeated);
  const Submitted again = submit("ml1", "elsewhere");
  EXPECT_EQ(again.first, JobId{1});
  EXPECT_TRUE(again.repeated);
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
