// What every Store keeps to, as tests that run on each implementation. A Harness has
//   Store& store();                                  loaded already
//   StoreImage restart();                            the daemon was killed; what the next one loads
//   std::string new_path();                          where no file is yet
//   std::unique_ptr<Store> restored(path);           a store made from a backup, not loaded yet
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/store.h"
#include "tests/support/store_values.h"

namespace gpusched::testing {

template <class Harness>
class StoreContract : public ::testing::Test {
 protected:
  Store& store() { return harness_.store(); }
  void commit(const Commit& commit) {
    const Committed done = store().commit(commit);
    ASSERT_TRUE(done) << done.error().message;
  }
  StoreImage restart() { return harness_.restart(); }
  // After a restart.
  std::string everything() {
    const StoreImage image = restart();
    return text_of(store(), image);
  }
  std::vector<std::uint64_t> ids(const StoreImage& image) {
    std::vector<std::uint64_t> found;
    for (const Job& each : image.jobs) found.push_back(number_of(each.id));
    return found;
  }
  std::vector<std::uint64_t> trail_of(std::uint64_t id, std::uint64_t after = 0,
                                      std::size_t limit = 100) {
    std::vector<std::uint64_t> found;
    const auto trail = store().trail(JobId{id}, after, limit);
    EXPECT_TRUE(trail);
    for (const TrailEntry& line : *trail) found.push_back(line.sequence);
    return found;
  }
  // The job as it comes back after a restart, as text.
  std::string kept(const Job& put) {
    Commit commit;
    commit.jobs.put = {put};
    this->commit(commit);
    const StoreImage image = restart();
    return image.jobs.size() == 1 ? text_of(image.jobs[0]) : "not there";
  }

  Harness harness_;
};
TYPED_TEST_SUITE_P(StoreContract);

using Numbers = std::vector<std::uint64_t>;

inline Grant two_cards() {
  Grant grant;
  grant.cards = {
      {.card = CardNumber{0}, .vram_bytes = 1ULL << 40, .share_percent = 30, .whole = false},
      {.card = CardNumber{7}, .vram_bytes = 0, .share_percent = 0, .whole = true}};
  grant.cpus = 4;
  grant.ram_bytes = 1ULL << 33;
  return grant;
}

TYPED_TEST_P(StoreContract, StartsEmpty) {
  const StoreImage image = this->restart();
  EXPECT_TRUE(image.jobs.empty());
  EXPECT_EQ(image.boot_id, "");
  EXPECT_EQ(image.next_job, JobId{1});
  EXPECT_EQ(image.next_submission, 1u);
  EXPECT_EQ(image.next_trail_sequence, 1u);
}

TYPED_TEST_P(StoreContract, KeepsAJobInEveryState) {
  Job put = job(7);
  put.priority = 85;
  put.attempt = 3;
  put.failures = 2;
  put.vram_floor_bytes = 5ULL << 30;
  put.saved_attempt = 2;
  put.quick_saves = 4;
  Ended ended;
  ended.outcome = Outcome::kFailed;
  ended.cause = Cause::kTimeout;
  ended.signal = 9;
  ended.message = "Ran longer than its 2 minutes.";
  ended.started_at = wall(5);
  ended.ended_at = wall(9);
  ended.grant = two_cards();
  Usage usage{Microseconds(12345), Microseconds(678), 1ULL << 35, GpuUsage{}};
  usage.said = "loss=0.1";
  usage.gpu->gpu_seconds = 2.5;
  usage.gpu->peak_vram_bytes = 3ULL << 30;
  usage.gpu->energy_joules = 12.25;
  ended.usage = std::make_shared<Usage>(usage);
  Ended completed;
  completed.cause = Cause::kExit;
  completed.exit_code = 0;
  Ended cancelled;
  cancelled.outcome = Outcome::kCancelled;
  for (const JobState& state :
       {JobState{Queued{}}, JobState{Held{HoldReason::kUser}},
        JobState{Held{HoldReason::kCrashGuard}}, JobState{Queued{wall(3), {}}},
        JobState{Starting{two_cards(), wall(2), StopReason::kNone}},
        JobState{Starting{{}, wall(2), StopReason::kCancel}},
        JobState{Running{two_cards(), wall(4), StopReason::kNone}},
        JobState{Running{two_cards(), wall(4), StopReason::kRequeue}},
        JobState{Running{two_cards(), wall(4), StopReason::kPressure,
                         std::make_shared<const GpuUsage>(GpuUsage{.peak_card_vram_bytes = 7})}},
        JobState{ended}, JobState{completed}, JobState{cancelled}, JobState{Queued{}}}) {
    put.state = state;
    EXPECT_EQ(this->kept(put), text_of(put));
  }
}

TYPED_TEST_P(StoreContract, KeepsEveryCause) {
  Job put = job(1);
  for (const Cause cause : kAllCauses) {
    Ended ended;
    ended.cause = cause;
    put.state = ended;
    EXPECT_EQ(this->kept(put), text_of(put));
  }
}

TYPED_TEST_P(StoreContract, ForgetsBootTimes) {
  Job put = job(1);
  put.state = Queued{.retry_at = wall(1), .retry_boot = Boot(Seconds(5))};
  Job expected = put;
  expected.state = Queued{.retry_at = wall(1), .retry_boot = {}};
  EXPECT_EQ(this->kept(put), text_of(expected));
}

TYPED_TEST_P(StoreContract, KeepsArrayTasksWithAwkwardValues) {
  Job put = job(12);
  put.task = std::make_shared<const ArrayTask>(ArrayTask{
      JobId{10}, 2, {{"lr", "0.1"}, {"", ""}, {"line", "a\tb\\n\n\\"}, {"bytes", "\xff\xc3"}}});
  EXPECT_EQ(this->kept(put), text_of(put));
  put = job(12);
  put.task = std::make_shared<const ArrayTask>(ArrayTask{JobId{12}, 0, {}});
  Commit removal;
  removal.jobs.removed = {JobId{12}};
  this->commit(removal);
  EXPECT_EQ(this->kept(put), text_of(put));
}

TYPED_TEST_P(StoreContract, SharesSpecsAndEnvironmentsAfterARestart) {
  const auto shared = spec("array", environment("one"));
  const auto other = spec("single", environment("one"));
  this->commit(commit_of({job(1, shared), job(2, shared), job(3, other)}));
  this->commit(commit_of({job(4, shared)}));
  const StoreImage image = this->restart();
  ASSERT_EQ(image.jobs.size(), 4u);
  EXPECT_EQ(image.jobs[0].spec, image.jobs[1].spec);
  EXPECT_EQ(image.jobs[0].spec, image.jobs[3].spec);
  EXPECT_NE(image.jobs[0].spec, image.jobs[2].spec);
}

TYPED_TEST_P(StoreContract, ReplacesTheSpecOfAJob) {
  const auto shared = spec("before");
  this->commit(commit_of({job(1, shared), job(2, shared)}));
  Job changed = job(2, spec("after", environment("another")));
  changed.priority = 90;
  Commit commit;
  commit.jobs.put = {changed};
  this->commit(commit);
  const StoreImage image = this->restart();
  ASSERT_EQ(image.jobs.size(), 2u);
  EXPECT_EQ(text_of(image.jobs[0]), text_of(job(1, shared)));
  EXPECT_EQ(text_of(image.jobs[1]), text_of(changed));
}

TYPED_TEST_P(StoreContract, TakesJobsInAnyOrder) {
  this->commit(commit_of({job(9)}));
  this->commit(commit_of({job(3), job(12), job(1)}));
  EXPECT_EQ(this->ids(this->restart()), (Numbers{1, 3, 9, 12}));
}

TYPED_TEST_P(StoreContract, GoesOnWithWhatItLoaded) {
  const auto shared = spec("array");
  this->commit(commit_of({job(1, shared), job(2, shared)}));
  StoreImage image = this->restart();
  image.jobs[0].state = Running{two_cards(), wall(1), StopReason::kNone};
  Commit commit;
  commit.jobs.put = {image.jobs[0], job(3, image.jobs[1].spec)};
  this->commit(commit);
  const StoreImage again = this->restart();
  ASSERT_EQ(again.jobs.size(), 3u);
  EXPECT_EQ(text_of(again.jobs[0]), text_of(image.jobs[0]));
  EXPECT_EQ(again.jobs[0].spec, again.jobs[2].spec);
}

TYPED_TEST_P(StoreContract, KeepsTheTrailInOrderAndInPages) {
  Commit commit;
  commit.jobs.put = {job(1), job(2)};
  for (std::uint64_t i = 1; i <= 6; ++i) commit.trail.push_back(entry(i, i % 2 == 0 ? 2 : 1));
  this->commit(commit);
  commit.jobs.put.clear();
  commit.trail = {entry(7, 1, "ended")};
  this->commit(commit);
  this->restart();
  EXPECT_EQ(this->trail_of(1), (Numbers{1, 3, 5, 7}));
  EXPECT_EQ(this->trail_of(1, 3), (Numbers{5, 7}));
  EXPECT_EQ(this->trail_of(1, 0, 2), (Numbers{1, 3}));
  EXPECT_EQ(this->trail_of(1, 7), Numbers{});
  EXPECT_EQ(this->trail_of(1, 0, static_cast<std::size_t>(-1)), (Numbers{1, 3, 5, 7}));
  EXPECT_EQ(this->trail_of(99), Numbers{});
  const auto lines = this->store().trail(JobId{1}, 5, 10);
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->at(0).kind, "ended");
  EXPECT_EQ(lines->at(0).text, "A sentence.");
  EXPECT_EQ(lines->at(0).at, wall(7));
  EXPECT_EQ(lines->at(0).attempt, 1);
  EXPECT_EQ(lines->at(0).job, JobId{1});
}

TYPED_TEST_P(StoreContract, RemovesJobsWithTheirTrail) {
  this->commit(commit_of({job(1), job(2), job(3)}));
  Commit commit;
  commit.jobs.removed = {JobId{3}, JobId{1}, JobId{77}};
  this->commit(commit);
  EXPECT_EQ(this->trail_of(1), Numbers{});
  EXPECT_EQ(this->trail_of(2), Numbers{2});
  EXPECT_EQ(this->ids(this->restart()), Numbers{2});
}

TYPED_TEST_P(StoreContract, AJobChangedAndRemovedAtOnceIsGone) {
  Commit commit = commit_of({job(1), job(2)});
  commit.jobs.removed = {JobId{1}};
  this->commit(commit);
  EXPECT_EQ(this->trail_of(1), Numbers{});
  EXPECT_EQ(this->ids(this->restart()), Numbers{2});
}

TYPED_TEST_P(StoreContract, NeverReusesANumber) {
  Commit commit = commit_of({job(1), job(2)});
  commit.submissions.put = {submission(1, 1, 2)};
  commit.trail.push_back(entry(50, 2));
  this->commit(commit);
  Commit removal;
  removal.jobs.removed = {JobId{1}, JobId{2}};
  this->commit(removal);
  const StoreImage image = this->restart();
  EXPECT_TRUE(image.jobs.empty());
  EXPECT_EQ(image.next_job, JobId{3});
  EXPECT_EQ(image.next_submission, 2u);
  EXPECT_EQ(image.next_trail_sequence, 51u);
}

TYPED_TEST_P(StoreContract, KeepsGroupsAndBootId) {
  Commit commit;
  const Drain one{"GPU-a", Wall{Microseconds{7}}, "health", "XID 79: reboot", DrainEnd::kCooler};
  commit.drains.put = {one, {"GPU-b", Wall{Microseconds{8}}, "operator", "", DrainEnd::kByHand}};
  const Reservation reservation{3,       "talk",   "user1", "", {"GPU-a", "GPU-b"},
                                wall(9), wall(10), "root"};
  commit.reservations.put = {reservation, {.id = 4}};
  commit.groups.put = {{"b", 2}, {"a", 0}, {"c", 1}};
  commit.tokens.put = {token("a"), {.id = "b"}, {.id = "c"}};
  commit.boot_id = "first";
  commit.past_runs.put = {past_runs(1, 1), past_runs(2, 1)};
  commit.move_rates.put = {{"GPU-a", {1, Microseconds{2}, 3}, {4, Microseconds{5}, 6}},
                           {.uuid = "b"}};
  this->commit(commit);
  Commit change;
  change.groups.put = {{.name = "b", .limit = 5}};
  change.groups.removed = {"c", "never"};
  change.drains.removed = {"GPU-b", "never"};
  change.reservations.removed = {4, 99};
  change.tokens.removed = {"c", "never"};
  change.boot_id = "second";
  change.past_runs.put = {past_runs(1, 2)};
  const MoveRates newer{"GPU-a", {9, Microseconds{8}, 7}, {4, Microseconds{5}, 6}};
  change.move_rates.put = {newer};
  change.past_runs.removed = {past_runs(2, 1).key, past_runs(9, 1).key};
  this->commit(change);
  const StoreImage image = this->restart();
  EXPECT_EQ(image.past_runs, (std::vector<PastRuns>{past_runs(1, 2)}));
  EXPECT_EQ(image.move_rates, (std::vector<MoveRates>{newer, {.uuid = "b"}}));
  EXPECT_EQ(image.drains, (std::vector<Drain>{one}));
  EXPECT_EQ(image.reservations, (std::vector<Reservation>{reservation}));
  EXPECT_EQ(image.groups, (std::vector<Group>{{"a", 0}, {"b", 5}}));
  EXPECT_EQ(image.tokens, (std::vector<Token>{token("a"), {.id = "b"}}));
  EXPECT_EQ(image.boot_id, "second");
}

TYPED_TEST_P(StoreContract, KeepsTenantsWithWhatTheyUsed) {
  Tenant one{.name = "lab", .rule = {}, .usage = {}};
  one.rule.weight = 2.5;
  one.rule.cards = 4;
  one.rule.vram_bytes = kNoLimit;
  one.rule.gpu_hours = parse_gpu_hours("100/week");
  one.rule.time_limit_s = 3600;
  one.usage = {.gpu_seconds = 1234.5678901234567,
               .at = wall(7),
               .boot = Boot{Microseconds{99}},
               .days = {{20'000, 0.1}, {20'001, 86'400.25}}};
  Commit commit;
  commit.tenants.put = {one, Tenant{.name = "gone", .rule = {}, .usage = {}}};
  this->commit(commit);
  one.usage.gpu_seconds /= 3;
  Commit change;
  change.tenants.put = {one};
  change.tenants.removed = {"gone", "never"};
  this->commit(change);
  EXPECT_EQ(this->restart().tenants, std::vector<Tenant>{one});
}

TYPED_TEST_P(StoreContract, KeepsASubmissionUntilItIsRemoved) {
  Commit commit = commit_of({job(1), job(2), job(3), job(4)});
  commit.submissions.put = {submission(1, 1, 3), submission(2, 4, 1)};
  this->commit(commit);
  Commit removal;
  removal.jobs.removed = {JobId{1}, JobId{2}};
  this->commit(removal);
  EXPECT_EQ(this->restart().submissions,
            (std::vector<Submission>{submission(1, 1, 3), submission(2, 4, 1)}));
  removal = {};
  removal.submissions.removed = {1, 77};
  this->commit(removal);
  EXPECT_EQ(this->restart().submissions, std::vector<Submission>{submission(2, 4, 1)});
}

TYPED_TEST_P(StoreContract, RemovesSubmissionsLeftOpenWithTheirJobs) {
  const auto shared = spec("array");
  Commit first = commit_of({job(1)});
  this->commit(first);
  Commit slice = commit_of({job(2, shared), job(3, shared)});
  slice.submissions.put = {submission(1, 2, 4, /*open=*/true)};
  this->commit(slice);
  this->commit(commit_of({job(6)}));
  const StoreImage image = this->restart();
  EXPECT_EQ(this->ids(image), (Numbers{1, 6}));
  EXPECT_TRUE(image.submissions.empty());
  EXPECT_EQ(image.next_job, JobId{7});
  EXPECT_EQ(this->trail_of(2), Numbers{});
}

TYPED_TEST_P(StoreContract, KeepsASubmissionThatWasClosed) {
  Commit slice = commit_of({job(1)});
  slice.submissions.put = {submission(1, 1, 2, /*open=*/true)};
  this->commit(slice);
  Commit last = commit_of({job(2)});
  last.submissions.put = {submission(1, 1, 2)};
  this->commit(last);
  const StoreImage image = this->restart();
  EXPECT_EQ(this->ids(image), (Numbers{1, 2}));
  EXPECT_EQ(image.submissions, std::vector<Submission>{submission(1, 1, 2)});
}

TYPED_TEST_P(StoreContract, ReservesTheNumbersOfAnOpenSubmission) {
  Commit slice = commit_of({job(1)});
  slice.submissions.put = {submission(1, 1, 1000, /*open=*/true)};
  this->commit(slice);
  EXPECT_EQ(this->restart().next_job, JobId{1001});
}

TYPED_TEST_P(StoreContract, BacksUpWhatIsThere) {
  this->commit(commit_of({job(1), job(2)}));
  const std::string path = this->harness_.new_path();
  const Result<void> done = this->store().backup(path);
  ASSERT_TRUE(done) << done.error().message;
  const std::string expected = this->everything();
  this->commit(commit_of({job(3)}));
  const std::unique_ptr<Store> copy = this->harness_.restored(path);
  ASSERT_NE(copy, nullptr);
  const Result<StoreImage> image = copy->load();
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(text_of(*copy, *image), expected);
}

TYPED_TEST_P(StoreContract, NeverWritesABackupOverAFile) {
  this->commit(commit_of({job(1)}));
  const std::string path = this->harness_.new_path();
  ASSERT_TRUE(this->store().backup(path));
  const Result<void> again = this->store().backup(path);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kConflict);
  EXPECT_NE(again.error().message.find(path), std::string::npos);
}

TYPED_TEST_P(StoreContract, KnowsWhatFailedSinceTheLastLookAtTheAlarms) {
  const auto ended = [](std::uint64_t id, Outcome how) {
    Job one = job(id);
    one.state = Ended{.outcome = how, .ended_at = wall(9)};
    return one;
  };
  Commit commit = commit_of({ended(1, Outcome::kFailed), ended(2, Outcome::kFailed),
                             ended(3, Outcome::kCompleted), job(4)});
  // What failed, and is queued again, is none that failed.
  commit.trail = {entry(1, 1, "failed"), entry(2, 4, "failed"), entry(3, 2, "running"),
                  entry(4, 2, "failed"), entry(5, 3, "completed")};
  this->commit(commit);
  const auto unlooked = [](const StoreImage& image) {
    Numbers found;
    for (const TrailEntry& one : image.unlooked) found.push_back(one.sequence);
    return found;
  };
  EXPECT_EQ(unlooked(this->restart()), (Numbers{1, 4}));
  Commit looked = commit_of({job(5)});
  looked.alarms_looked = 3;
  this->commit(looked);
  const StoreImage image = this->restart();
  EXPECT_EQ(unlooked(image), Numbers{4});
  EXPECT_EQ(image.alarms_looked, 3U);
  this->commit(commit_of({job(6)}));
  EXPECT_EQ(this->restart().alarms_looked, 3U) << "it is never taken back";
}

REGISTER_TYPED_TEST_SUITE_P(
    StoreContract, StartsEmpty, KeepsAJobInEveryState, KeepsEveryCause, ForgetsBootTimes,
    KeepsArrayTasksWithAwkwardValues, SharesSpecsAndEnvironmentsAfterARestart,
    ReplacesTheSpecOfAJob, TakesJobsInAnyOrder, GoesOnWithWhatItLoaded,
    KeepsTheTrailInOrderAndInPages, RemovesJobsWithTheirTrail, AJobChangedAndRemovedAtOnceIsGone,
    NeverReusesANumber, KeepsGroupsAndBootId, KeepsTenantsWithWhatTheyUsed,
    KeepsASubmissionUntilItIsRemoved, RemovesSubmissionsLeftOpenWithTheirJobs,
    KeepsASubmissionThatWasClosed, ReservesTheNumbersOfAnOpenSubmission, BacksUpWhatIsThere,
    NeverWritesABackupOverAFile, KnowsWhatFailedSinceTheLastLookAtTheAlarms);

}  // namespace gpusched::testing
