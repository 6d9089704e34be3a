#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/apply/preview.h"
#include "core/apply/retention.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

const Principal kHolder{.uid = 1000};
const Principal kStranger{.uid = 1001};

Ask lease(int pid = 77, const std::string& application = {}) {
  Ask one = ask();
  one.spec().time.grace = Seconds{0};
  one.spec().lease = std::make_shared<LeaseTerms>(
      LeaseTerms{.pid = pid, .pid_started = 5, .application = application});
  return one.uid(1000);
}

const Ended& end_of(const State& state, std::uint64_t id) {
  return std::get<Ended>(state.find(JobId{id})->state);
}

TEST(Lease, IsGrantedWithoutALaunch) {
  State state = machine(1, 24);
  lease().submit(state, at_second(0));
  const Decided decided = decide(state, at_second(0));
  ASSERT_EQ(decided.decisions.size(), 1u);
  EXPECT_TRUE(accept(state, decided.decisions.front(), at_second(0)).effects.empty());
  EXPECT_EQ(state_of(state, 1), "running");
  EXPECT_EQ(cards_of(state, 1), std::vector<int>{0});
  EXPECT_EQ(state.leases().live().size(), 1u);
  state.check_invariants();
}

TEST(Lease, WaitsInTheSameOrderAsJobs) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  lease().priority(50).submit(state, at_second(1));
  ask().priority(90).submit(state, at_second(2));
  finish(state, 1, 0, at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(3)), std::vector<std::uint64_t>{3});
  EXPECT_EQ(state_of(state, 2), "queued");
}

TEST(Lease, EndsWhenItIsReleased) {
  State state = machine(1, 24);
  lease().submit(state, at_second(0));
  lease().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Applied done = apply(state, LeaseReleaseAsked{kHolder, {JobId{1}, JobId{2}}}, at_second(5));
  EXPECT_EQ(std::get<Changed>(done.answer).jobs.size(), 2u);
  EXPECT_EQ(state_of(state, 1), "completed");
  EXPECT_EQ(end_of(state, 1).exit_code, 0);
  EXPECT_EQ(end_of(state, 1).usage->gpu->gpu_seconds, 5.0);
  EXPECT_EQ(state_of(state, 2), "cancelled");
  EXPECT_EQ(state.holds_on(0).jobs, 0);
  EXPECT_TRUE(state.leases().live().empty());
}

TEST(Lease, OnlyItsUserReleasesIt) {
  State state = machine(1, 24);
  lease().submit(state, at_second(0));
  ask().uid(1000).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  expect_refused(RefusalKind::kForbidden,
                 apply(state, LeaseReleaseAsked{kStranger, {JobId{1}}}, at_second(1)).answer);
  expect_refused(RefusalKind::kConflict,
                 apply(state, LeaseReleaseAsked{kHolder, {JobId{2}}}, at_second(1)).answer);
}

TEST(Lease, EndsWithItsTimeToLive) {
  State state = machine(1, 24);
  lease().time(60).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  EXPECT_EQ(state.next_deadline(at_second(0)), at_second(60).boot);
  apply(state, TimePassed{}, at_second(59));
  EXPECT_EQ(state_of(state, 1), "running");
  apply(state, TimePassed{}, at_second(60));
  EXPECT_EQ(state_of(state, 1), "failed");
  EXPECT_EQ(end_of(state, 1).cause, Cause::kTimeout);
}

TEST(Lease, LivesLongerWhenItIsRenewed) {
  State state = machine(1, 24);
  lease().time(60).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  apply(state, LeaseRenewAsked{kHolder, JobId{1}, Seconds{60}}, at_second(50));
  apply(state, TimePassed{}, at_second(109));
  EXPECT_EQ(state_of(state, 1), "running");
  apply(state, LeaseRenewAsked{kHolder, JobId{1}, Seconds{0}}, at_second(109));
  apply(state, TimePassed{}, at_second(9999));
  EXPECT_EQ(state_of(state, 1), "running");
}

TEST(Lease, CannotBeRenewedBeforeItIsGranted) {
  State state = machine(1, 24);
  lease().hold().submit(state, at_second(0));
  expect_refused(RefusalKind::kConflict,
                 apply(state, LeaseRenewAsked{kHolder, JobId{1}, Seconds{9}}, at_second(1)).answer);
}

TEST(Lease, EndsWithItsHolder) {
  State state = machine(1, 24);
  lease().submit(state, at_second(0));
  lease().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const std::string gone = "gone";
  apply(state, LeaseHolderGone{JobId{1}, gone}, at_second(1));
  apply(state, LeaseHolderGone{JobId{2}, gone}, at_second(1));
  EXPECT_EQ(state_of(state, 1), "completed");
  EXPECT_EQ(state_of(state, 2), "cancelled");
  EXPECT_EQ(end_of(state, 2).message, gone);
  // Twice is once.
  apply(state, LeaseHolderGone{JobId{1}, "again"}, at_second(2));
  EXPECT_EQ(end_of(state, 1).message, gone);
}

TEST(Lease, ResetEndsThoseOfOneApplicationOfOneUser) {
  State state = machine(4, 24);
  lease(77, "trainer").submit(state, at_second(0));
  lease(78, "trainer").submit(state, at_second(0));
  lease(79, "other").submit(state, at_second(0));
  lease(80, "trainer").uid(1001).submit(state, at_second(0));
  lease(81, "trainer").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Event reset = LeaseResetAsked{kHolder, "trainer"};
  EXPECT_EQ(std::get<Changed>(preview(state, reset, at_second(1))).jobs.size(), 3u);
  const Applied done = apply(state, reset, at_second(1));
  EXPECT_EQ(std::get<Changed>(done.answer).jobs,
            (std::vector<JobId>{JobId{1}, JobId{2}, JobId{5}}));
  EXPECT_EQ(state_of(state, 3), "running");
  EXPECT_EQ(state_of(state, 4), "running");
  EXPECT_TRUE(std::get<Changed>(apply(state, reset, at_second(2)).answer).jobs.empty());
}

TEST(Lease, CancelEndsItAtOnceAndRequeueIsRefused) {
  State state = machine(1, 24);
  lease().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Applied again = apply(state, RequeueAsked{kHolder, {JobId{1}}}, at_second(1));
  expect_unchanged(1, again.answer);
  EXPECT_TRUE(apply(state, CancelAsked{kHolder, {JobId{1}}, {}}, at_second(1)).effects.empty());
  EXPECT_EQ(state_of(state, 1), "cancelled");
}

TEST(Lease, IsLostWithItsCard) {
  State state = machine(1, 24);
  lease().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Applied done =
      apply(state, CardTroubleSeen{CardNumber{0}, TroubleKind::kGone, 0}, at_second(1));
  EXPECT_TRUE(done.effects.empty());
  EXPECT_EQ(state_of(state, 1), "failed");
  EXPECT_EQ(end_of(state, 1).cause, Cause::kGpuLost);
}

TEST(Lease, OldOnesGoBeforeTheyPushJobsOut) {
  Rules rules;
  rules.keep_leases_most = 2;
  State state = machine(1, 24, 8, rules);
  ask().gpus(0).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 0, at_second(1));
  for (std::uint64_t id = 2; id < 6; ++id) {
    lease().submit(state, at_second(2));
    start_what_fits(state, at_second(2));
    apply(state, LeaseReleaseAsked{kHolder, {JobId{id}}}, at_second(static_cast<int>(id)));
  }
  EXPECT_EQ(next_removal(state), Wall::min());
  EXPECT_TRUE(apply(state, RetentionDue{}, at_second(9)).effects.empty());
  EXPECT_EQ(state_of(state, 1), "completed");
  EXPECT_EQ(state_of(state, 3), "gone");
  EXPECT_EQ(state_of(state, 4), "completed");
  EXPECT_NE(next_removal(state), Wall::min());
}

TEST(Lease, ChangesOfLeasesAloneAreKnownAsSuch) {
  State state = machine(2, 24);
  state.keep_changes();
  lease().submit(state, at_second(0));
  EXPECT_TRUE(state.changes().leases_alone);
  start_what_fits(state, at_second(0));
  EXPECT_TRUE(state.changes().leases_alone);
  ask().submit(state, at_second(0));
  EXPECT_FALSE(state.changes().leases_alone);
  state.keep_changes();
  // A word about a job is a change of it.
  start_what_fits(state, at_second(0));
  state.keep_changes();
  apply(state, CardTroubleSeen{CardNumber{1}, TroubleKind::kXid, 31}, at_second(1));
  EXPECT_FALSE(state.changes().leases_alone);
}

TEST(Lease, ProcessesOfItsHolderAreNotForeign) {
  State state = machine(2, 24);
  lease().gpus(1).vram(8).submit(state, at_second(0));
  lease().gpus(1).vram(4).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ASSERT_EQ(cards_of(state, 2), std::vector<int>{0});
  EXPECT_EQ(lease_on(state, 77, CardNumber{0}), (AttemptId{JobId{1}, 1}));
  EXPECT_EQ(lease_on(state, 77, CardNumber{1}), std::nullopt);
  EXPECT_EQ(lease_on(state, 78, CardNumber{0}), std::nullopt);
  CardView view;
  view.condition = CardCondition::kOk;
  view.at = at_second(1);
  view.processes = {
      SeenProcess{.pid = 77, .vram_bytes = 11 * kGiB, .attempt = AttemptId{JobId{1}, 1}}};
  view.used_bytes = 11 * kGiB;
  apply(state, CardSeen{CardNumber{0}, view}, at_second(1));
  // One process stands for both leases: 12 GiB are held.
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 0u);
  apply(state, LeaseReleaseAsked{kHolder, {JobId{1}}}, at_second(2));
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 11 * kGiB);
}

TEST(Lease, OfAListTheHighestPriorityIsGrantedFirst) {
  State state = machine(1, 24);
  const LeasesAsked list{{lease().priority(50).event(), lease().priority(84).event()}};
  const Applied done = apply(state, list, at_second(0));
  EXPECT_EQ(std::get<Submitted>(done.answer).first, JobId{1});
  EXPECT_EQ(std::get<Submitted>(done.answer).count, 2u);
  start_what_fits(state, at_second(0));
  EXPECT_EQ(state_of(state, 1), "queued");
  EXPECT_EQ(state_of(state, 2), "running");
  state.check_invariants();
}

TEST(Lease, AListIsAcceptedAsAWholeOrRefusedWithTheNameOfTheWrongOne) {
  State state = machine(1, 24);
  Ask gang = lease().gpus(2);
  gang.spec().name = "gang";
  const LeasesAsked list{{lease().event(), gang.event()}};
  expect_refused(RefusalKind::kNeverFits, apply(state, list, at_second(0)).answer);
  expect_refused(RefusalKind::kNeverFits, preview(state, list, at_second(0)));
  EXPECT_TRUE(state.jobs().empty());
}

TEST(Lease, AListCountsAgainstTheQueueAsAWhole) {
  Rules rules;
  rules.queued_jobs_most = 4;  // Three of them for one tenant.
  State state = machine(1, 24, 8, rules);
  LeasesAsked list;
  for (int i = 0; i < 4; ++i) list.leases.push_back(lease().event());
  expect_refused(RefusalKind::kConflict, apply(state, list, at_second(0)).answer);
  EXPECT_TRUE(state.jobs().empty());
  list.leases.pop_back();
  EXPECT_TRUE(std::holds_alternative<Submitted>(apply(state, list, at_second(0)).answer));
}

TEST(Lease, ALargestNeedIsRefusedWithItsSize) {
  State state = machine(1, 24);
  Ask largest = lease();
  largest.spec().needs.vram_bytes = UINT64_MAX;
  expect_refused(RefusalKind::kNeverFits, largest.submit(state, at_second(0)));
}

}  // namespace
}  // namespace gpusched::testing
