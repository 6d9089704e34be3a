#include "metrics/work_meters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/core_builders.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

using metrics::Exposition;
using metrics::Format;
using metrics::WorkMeters;

// A state whose changes are committed, and counted, when the test says so.
struct Counted {
  explicit Counted(State a_state) : state(std::move(a_state)) {}

  void commit(std::int64_t second) {
    const State::Changes changes = state.changes();
    meters.count(meters.steps_of(changes.jobs, changes.trail), at_second(second));
    state.keep_changes();
  }
  std::string text(std::int64_t second = 0) const {
    Exposition out(Format::kText);
    meters.write(out);
    meters.write_tenants(out, at_second(second));
    return out.take();
  }
  // Of the line with this name and labels; -1: there is none.
  double value(const std::string& series, std::int64_t second = 0) const {
    const std::string all = "\n" + text(second);
    const std::size_t at = all.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(all.substr(at + series.size() + 2));
  }

  State state;
  WorkMeters meters;
};

TEST(WorkMeters, TimeAJobFromSubmissionToItsEnd) {
  Counted one(machine(1, 24));
  ask().submit(one.state, at_second(0));
  one.commit(0);
  start_what_fits(one.state, at_second(40));
  one.commit(40);
  EXPECT_EQ(one.value("gpusched_job_wait_seconds_sum{kind=\"command\"}"), 40);
  EXPECT_EQ(one.value("gpusched_job_start_seconds_count{kind=\"command\"}"), 0);
  run(one.state, 1, at_second(42));
  one.commit(42);
  EXPECT_EQ(one.value("gpusched_job_start_seconds_sum{kind=\"command\"}"), 2);
  AttemptFinished report{.attempt = {JobId{1}, 1}};
  report.exit_code = 0;
  report.started_at = at_second(42).wall;
  report.ended_at = at_second(142).wall;
  apply(one.state, report, at_second(142));
  one.commit(142);
  EXPECT_EQ(one.value("gpusched_job_run_seconds_sum{kind=\"command\"}"), 100);
  EXPECT_EQ(one.value("gpusched_jobs_ended_total{outcome=\"completed\",cause=\"none\"}"), 1);
  EXPECT_EQ(one.value("gpusched_decisions_total{kind=\"start\"}"), 1);
  EXPECT_EQ(one.value("gpusched_gpu_seconds_total{tenant=\"user0\"}", 500), 100);
}

TEST(WorkMeters, TimeTheStartOfAJobThatIsOverWhenItIsHeardOf) {
  Counted one(machine(1, 24));
  ask().submit(one.state, at_second(0));
  start_what_fits(one.state, at_second(40));
  one.commit(41);
  run(one.state, 1, at_second(42));
  AttemptFinished report{.attempt = {JobId{1}, 1}};
  report.exit_code = 0;
  report.started_at = at_second(42).wall;
  report.ended_at = at_second(44).wall;
  apply(one.state, report, at_second(45));
  one.commit(45);
  EXPECT_EQ(one.value("gpusched_job_wait_seconds_sum{kind=\"command\"}"), 40);
  EXPECT_EQ(one.value("gpusched_job_start_seconds_sum{kind=\"command\"}"), 2);
  EXPECT_EQ(one.value("gpusched_gpu_seconds_total{tenant=\"user0\"}", 100), 2);
}

TEST(WorkMeters, CountAnEndOnceWhateverHappensToTheJobLater) {
  Counted one(machine(1, 24));
  ask().hold().submit(one.state, at_second(0));
  apply(one.state, CancelAsked{ourselves(), {JobId{1}}}, at_second(1));
  one.commit(1);
  one.state.put(Job(*one.state.find(JobId{1})), at_second(2));
  one.commit(2);
  EXPECT_EQ(one.value("gpusched_jobs_ended_total{outcome=\"cancelled\",cause=\"none\"}"), 1);
  EXPECT_EQ(one.value("gpusched_job_run_seconds_count{kind=\"command\"}"), 0) << "it never ran";
}

TEST(WorkMeters, NameWhatFailuresFailedBy) {
  Counted one(machine(1, 24));
  ask().submit(one.state, at_second(0));
  start_what_fits(one.state, at_second(0));
  run(one.state, 1, at_second(0));
  one.commit(0);
  finish(one.state, 1, 3, at_second(1));
  one.commit(1);
  EXPECT_EQ(one.value("gpusched_jobs_ended_total{outcome=\"failed\",cause=\"exit\"}"), 1);
  EXPECT_EQ(one.value("gpusched_jobs_ended_total{outcome=\"failed\",cause=\"timeout\"}"), 0);
}

TEST(WorkMeters, CountWaitsOfFirstAttemptsAndRetriesApart) {
  Counted one(machine(1, 24));
  ask().retries(1).submit(one.state, at_second(0));
  start_what_fits(one.state, at_second(5));
  one.commit(5);
  run(one.state, 1, at_second(5));
  one.commit(5);
  finish(one.state, 1, 1, at_second(6));
  one.commit(6);
  EXPECT_EQ(one.value("gpusched_jobs_requeued_total"), 1);
  one.state.advance(at_second(600));
  start_what_fits(one.state, at_second(600));
  one.commit(600);
  EXPECT_EQ(one.value("gpusched_job_wait_seconds_count{kind=\"command\"}"), 1);
  EXPECT_EQ(one.value("gpusched_decisions_total{kind=\"start\"}"), 2);
}

TEST(WorkMeters, CountNothingOfWhatWasUndone) {
  Counted one(machine(1, 24));
  ask().submit(one.state, at_second(0));
  one.commit(0);
  start_what_fits(one.state, at_second(1));
  const State::Changes changes = one.state.changes();
  const auto steps = one.meters.steps_of(changes.jobs, changes.trail);
  EXPECT_EQ(steps.size(), 1U);
  one.state.roll_back(at_second(1));
  EXPECT_EQ(one.value("gpusched_decisions_total{kind=\"start\"}"), 0);
}

TEST(WorkMeters, FollowAMoveOutAndBack) {
  Counted one(moving_machine(1, 24));
  ask().priority(30).submit(one.state, at_second(0));
  starts_and_runs(one.state, 1, 0);
  one.commit(0);
  ask().priority(90).submit(one.state, at_second(1000));
  take_turn(one.state, 1000);
  one.commit(1000);
  ASSERT_EQ(state_of(one.state, 1), "pausing");
  EXPECT_EQ(one.value("gpusched_decisions_total{kind=\"move_aside\"}"), 1);
  has_moved(one.state, 1, 8, 1003);
  one.commit(1003);
  const std::string out = "{mechanism=\"checkpoint\",direction=\"out\"";
  EXPECT_EQ(one.value("gpusched_moves_total" + out + ",result=\"done\"}"), 1);
  EXPECT_EQ(one.value("gpusched_move_duration_seconds_sum" + out + "}"), 3);
  EXPECT_EQ(one.value("gpusched_moved_bytes_total{direction=\"out\"}"), 8.0 * kGiB);
  EXPECT_EQ(one.value("gpusched_gpu_seconds_total{tenant=\"user0\"}", 2000), 1000)
      << "nothing while it is aside";
  starts_and_runs(one.state, 2, 1004);
  one.commit(1004);
  finish(one.state, 2, 0, at_second(1010));
  take_turn(one.state, 1010);
  one.commit(1010);
  ASSERT_EQ(state_of(one.state, 1), "resuming");
  is_back(one.state, 1, 1014);
  one.commit(1014);
  const std::string back = "{mechanism=\"checkpoint\",direction=\"back\"";
  EXPECT_EQ(one.value("gpusched_moves_total" + back + ",result=\"done\"}"), 1);
  EXPECT_EQ(one.value("gpusched_move_duration_seconds_sum" + back + "}"), 4);
  EXPECT_EQ(one.value("gpusched_moved_bytes_total{direction=\"back\"}"), 8.0 * kGiB);
  EXPECT_EQ(one.value("gpusched_decisions_total{kind=\"return\"}"), 1);
  EXPECT_EQ(one.value("gpusched_gpu_seconds_total{tenant=\"user0\"}", 1024), 1016);
}

TEST(WorkMeters, TellOfAMoveThatFailed) {
  Counted one(moving_machine(1, 24));
  ask().priority(30).submit(one.state, at_second(0));
  starts_and_runs(one.state, 1, 0);
  ask().priority(90).submit(one.state, at_second(1000));
  one.commit(999);
  take_turn(one.state, 1000);
  one.commit(1000);
  apply(one.state, MoveFailed{{JobId{1}, 1}, MoveLeft::kRunning, false, "no"}, at_second(1001));
  one.commit(1001);
  EXPECT_EQ(one.value("gpusched_moves_total{mechanism=\"checkpoint\",direction=\"out\","
                      "result=\"failed\"}"),
            1);
  EXPECT_EQ(one.value("gpusched_moved_bytes_total{direction=\"out\"}"), 0);
}

TEST(WorkMeters, FollowWhatRanBeforeThisProcess) {
  Counted before(machine(2, 24));
  ask().submit(before.state, at_second(0));
  start_what_fits(before.state, at_second(0));
  run(before.state, 1, at_second(0));
  before.state.keep_changes();
  before.meters.begin_with(before.state, at_second(100));
  finish(before.state, 1, 0, at_second(130));
  before.commit(130);
  EXPECT_EQ(before.value("gpusched_gpu_seconds_total{tenant=\"user0\"}", 200), 30);
  EXPECT_EQ(before.value("gpusched_jobs_ended_total{outcome=\"completed\",cause=\"none\"}"), 1);
  EXPECT_EQ(before.value("gpusched_job_wait_seconds_count{kind=\"command\"}"), 0);
}

TEST(TenantSeconds, NameSoManyTenantsAndNoSumEverFalls) {
  metrics::TenantSeconds seconds;
  for (int i = 0; i < 200; ++i) seconds.change(fmt::format("t{:03}", i), 1, Boot(Seconds{0}));
  seconds.change("other", 1, Boot(Seconds{0}));
  const auto early = seconds.sums(Boot(Seconds{10}));
  EXPECT_EQ(early.size(), metrics::kTenantsMost + 1);
  EXPECT_EQ(early.at("other"), 10.0 * (200 - 50 + 1));
  EXPECT_EQ(early.at("t000"), 10);
  for (int i = 0; i < 200; ++i) seconds.change(fmt::format("t{:03}", i), -1, Boot(Seconds{20}));
  const auto late = seconds.sums(Boot(Seconds{30}));
  for (const auto& [tenant, sum] : early) EXPECT_GE(late.at(tenant), sum) << tenant;
  EXPECT_EQ(late.at("t049"), 20);
}

}  // namespace
}  // namespace gpusched::testing
