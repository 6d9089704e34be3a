#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/apply/preview.h"
#include "core/apply/retention.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

const Principal kRoot = ourselves();
const Principal kOwner{.uid = 1000};

TEST(Cancel, WorksInEveryState) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  ask().hold().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Applied applied =
      apply(state, CancelAsked{kRoot, {JobId{1}, JobId{2}, JobId{3}}, Seconds{3}}, at_second(1));
  EXPECT_EQ(std::get<Changed>(applied.answer).jobs.size(), 3u);
  ASSERT_EQ(applied.effects.size(), 1u);
  EXPECT_EQ(std::get<StopAttempt>(applied.effects.front()).grace, Seconds{3});
  EXPECT_EQ(state_of(state, 1), "starting");
  EXPECT_EQ(state_of(state, 2), "cancelled");
  EXPECT_EQ(state_of(state, 3), "cancelled");
  // However it ends now, it was cancelled.
  finish(state, 1, 0, at_second(2));
  EXPECT_EQ(state_of(state, 1), "cancelled");
  const auto again = apply(state, CancelAsked{kRoot, {JobId{1}}, {}}, at_second(3));
  expect_unchanged(1, again.answer);
}

TEST(Cancel, RefusesTheWholeRequestIfOneJobIsUnknownOrNotYours) {
  State state = machine(1, 24);
  ask().uid(1000).hold().submit(state, at_second(0));
  ask().uid(1001).hold().submit(state, at_second(0));
  expect_refused(RefusalKind::kNotFound,
                 apply(state, CancelAsked{kOwner, {JobId{1}, JobId{7}}, {}}, at_second(1)).answer);
  expect_refused(RefusalKind::kForbidden,
                 apply(state, CancelAsked{kOwner, {JobId{1}, JobId{2}}, {}}, at_second(1)).answer);
  EXPECT_EQ(state_of(state, 1), "held");
}

TEST(Cancel, OfAnAttemptThatNeverRanEndsTheJob) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  apply(state, CancelAsked{kRoot, {JobId{1}}, {}}, at_second(1));
  apply(state, AttemptNeverRan{{JobId{1}, 1}, ""}, at_second(2));
  EXPECT_EQ(state_of(state, 1), "cancelled");
}

TEST(Hold, KeepsAJobBackUntilItIsReleased) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  apply(state, HoldAsked{kRoot, {JobId{1}}}, at_second(0));
  EXPECT_TRUE(start_what_fits(state, at_second(1)).empty());
  apply(state, ReleaseAsked{kRoot, {JobId{1}}}, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)).size(), 1u);
  const auto late = apply(state, HoldAsked{kRoot, {JobId{1}}}, at_second(3));
  expect_unchanged(1, late.answer);
}

TEST(Requeue, WhoHadWaitedForItsEndWaitsAgain) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 0, at_second(1));
  ask().submit(state, at_second(2));
  start_what_fits(state, at_second(2));
  ask().after(1).submit(state, at_second(3));
  EXPECT_TRUE(state.pending().contains(JobId{3}));
  apply(state, RequeueAsked{kRoot, {JobId{1}}}, at_second(4));
  EXPECT_FALSE(state.pending().contains(JobId{3}));
  finish(state, 2, 0, at_second(5));
  EXPECT_EQ(start_what_fits(state, at_second(5)), std::vector<std::uint64_t>{1});
  finish(state, 1, 0, at_second(6));
  EXPECT_EQ(start_what_fits(state, at_second(6)), std::vector<std::uint64_t>{3});
}

TEST(Requeue, RunsAnEndedJobAgainUnderItsIdAndStartsARunningOneOver) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 1, at_second(1));
  apply(state, RequeueAsked{kRoot, {JobId{1}}}, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)).size(), 1u);
  EXPECT_EQ(state.find(JobId{1})->attempt, 2);
  const Applied over = apply(state, RequeueAsked{kRoot, {JobId{1}}}, at_second(3));
  EXPECT_EQ(over.effects.size(), 1u);
  finish(state, 1, 0, at_second(4));
  EXPECT_EQ(state_of(state, 1), "queued");
}

TEST(Set, ChangesPriorityAndNeedsOfAWaitingJob) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(1));
  apply(state, SetAsked{kRoot, {JobId{2}}, priority_patch(90)}, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)), std::vector<std::uint64_t>{2});
  const auto refused = apply(
      state, SetAsked{kRoot, {JobId{1}}, patch_with(&Needs::vram_bytes, 99 * kGiB)}, at_second(3));
  expect_refused(RefusalKind::kNeverFits, refused.answer);
  const auto running =
      apply(state, SetAsked{kRoot, {JobId{2}}, patch_with(&Needs::vram_bytes, kGiB)}, at_second(3));
  EXPECT_EQ(std::get<Changed>(running.answer).unchanged.size(), 1u);
}

TEST(Set, ANewTimeLimitReachesARunningJob) {
  State state = machine(1, 24);
  ask().time(100).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Applied applied = apply(
      state, SetAsked{kRoot, {JobId{1}}, patch_with(&TimeRule::limit, Seconds{500})}, at_second(1));
  ASSERT_EQ(applied.effects.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ChangeTime>(applied.effects.front()));
  EXPECT_EQ(state.find(JobId{1})->spec->time.limit, Seconds{500});
}

TEST(Time, BeginExpireAndClockJumpsAreHonoured) {
  State state = machine(1, 24);
  ask().begin(at_second(100).wall).submit(state, at_second(0));
  ask().hold().expire(at_second(50).wall).submit(state, at_second(0));
  EXPECT_TRUE(start_what_fits(state, at_second(1)).empty());
  EXPECT_EQ(state.next_deadline(at_second(1)), at_second(50).boot);
  apply(state, TimePassed{}, at_second(50));
  EXPECT_EQ(state_of(state, 2), "cancelled");
  // The wall clock jumps forward; boot time does not.
  Now jumped = at_second(51);
  jumped.wall = at_second(200).wall;
  apply(state, TimePassed{}, jumped);
  EXPECT_EQ(start_what_fits(state, jumped).size(), 1u);
}

TEST(Groups, OnlyAnAdministratorChangesThem) {
  State state = machine(1, 24);
  expect_refused(RefusalKind::kForbidden,
                 apply(state, GroupSetAsked{kOwner, "night", 2}, at_second(0)).answer);
  apply(state, GroupSetAsked{kRoot, "night", 2}, at_second(0));
  EXPECT_EQ(state.groups().at("night").limit, 2);
  apply(state, GroupRemoveAsked{kRoot, "night"}, at_second(0));
  expect_refused(RefusalKind::kNotFound,
                 apply(state, GroupRemoveAsked{kRoot, "night"}, at_second(0)).answer);
}

TEST(Groups, APausedOneThatHoldsJobsBackIsRemovedOnlyOnPurpose) {
  State state = machine(1, 24);
  apply(state, GroupSetAsked{kRoot, "night", 0, true}, at_second(0));
  ask().group("night").submit(state, at_second(0));
  const GroupRemoveAsked asked{kRoot, "night"};
  expect_refused(RefusalKind::kConflict, preview(state, asked, at_second(1)));
  expect_refused(RefusalKind::kConflict, apply(state, asked, at_second(1)).answer);
  EXPECT_TRUE(start_what_fits(state, at_second(1)).empty());
  apply(state, GroupRemoveAsked{kRoot, "night", true}, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)).size(), 1U);
  // Nobody waits for it now.
  apply(state, GroupSetAsked{kRoot, "night", 0, true}, at_second(3));
  EXPECT_TRUE(std::holds_alternative<Changed>(apply(state, asked, at_second(3)).answer));
}

TEST(Retention, RemovesTheOldestEndedJobsByAgeAndByCountButNotWhatIsWaitedFor) {
  Rules rules;
  rules.keep_ended_most = 2;
  State state = machine(8, 24, 8, rules);
  for (int i = 0; i < 4; ++i) ask().key("k" + std::to_string(i)).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().gpus(8).submit(state, at_second(0));
  ask().after(1).after(5).submit(state, at_second(0));
  for (std::uint64_t job = 1; job <= 4; ++job) finish(state, job, 0, at_second(1));
  const Applied applied = apply(state, RetentionDue{10}, at_second(2));
  EXPECT_EQ(applied.effects.size(), 1u);
  EXPECT_EQ(state_of(state, 1), "completed");
  EXPECT_EQ(state_of(state, 2), "gone");
  EXPECT_EQ(state.find_submission("user0", "k1"), nullptr);
  apply(state, RetentionDue{10}, at_second(40 * 24 * 3600));
  EXPECT_EQ(state_of(state, 3), "gone");
  // Only the one that is waited for is left: nothing is due, however old it is.
  EXPECT_EQ(state_of(state, 1), "completed");
  EXPECT_EQ(next_removal(state), std::nullopt);
  state.check_invariants();
}

TEST(Retention, NobodyPushesOutWhatOthersDid) {
  Rules rules;
  rules.keep_ended_most = 4;
  State state = machine(8, 24, 8, rules);
  ask().uid(1).submit(state, at_second(0));
  ask().uid(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (std::uint64_t job = 1; job <= 2; ++job) finish(state, job, 0, at_second(1));
  for (std::uint64_t job = 3; job <= 22; ++job) {
    ask().uid(2).submit(state, at_second(2));
    start_what_fits(state, at_second(2));
    finish(state, job, 0, at_second(3));
  }
  EXPECT_EQ(next_removal(state), Wall::min());
  apply(state, RetentionDue{100}, at_second(4));
  EXPECT_EQ(state.ended().size(), 4U);
  for (const std::uint64_t kept : {1, 2, 21, 22}) EXPECT_EQ(state_of(state, kept), "completed");
  EXPECT_EQ(next_removal(state), state.ended().begin()->first + rules.keep_ended_for);
  state.check_invariants();
}

TEST(Preview, AnswersLikeTheRealThingAndChangesNothing) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(0));
  const Answer answer = preview(state, CancelAsked{kRoot, {JobId{1}, JobId{2}}, {}}, at_second(1));
  EXPECT_EQ(std::get<Changed>(answer).jobs.size(), 2u);
  EXPECT_EQ(state_of(state, 2), "queued");
  expect_refused(RefusalKind::kNeverFits, preview(state, ask().vram(99).event(), at_second(1)));
}

}  // namespace
}  // namespace gpusched::testing
