// A disk that is full, a store that takes nothing, a clock that is wrong, a directory that is a
// copy.
#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "engine/engine.h"
#include "sim/memory_store.h"
#include "sim/sim_launcher.h"
#include "sim/sim_mover.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

class BadDisk : public ::testing::Test {
 protected:
  BadDisk() : launcher_([this](const LaunchOrder&) { return plan_; }) {
    plan_.run_for = Seconds{100'000};
    boot();
  }
  void boot(bool copied = false) {
    Rules rules;
    rules.keep_ended_for = std::chrono::hours{24 * 14};
    engine_ = std::make_unique<Engine>(State(rules, HostCapacity{4, 64 * kGiB}),
                                       Site{launcher_, mover_}, options_);
    engine_->recover(*store_.load(), "boot-1", now_, copied);
    engine_->post(CardsReported{machine(2, 24).cards()});
    run_turns();
  }
  void run_turns() {
    for (int i = 0; i < 1000 && engine_->wants_turn(now_); ++i) turn();
    launcher_.advance(now_);
    for (int i = 0; i < 1000 && engine_->wants_turn(now_); ++i) turn();
  }
  void turn() {
    if (const auto commit = engine_->begin_turn(now_)) {
      engine_->finish_turn(store_.commit(*commit), now_);
    }
  }
  void wait(Microseconds time) {
    now_.wall += time;
    now_.boot += time;
    launcher_.advance(now_);
    run_turns();
  }
  std::optional<Result<Answer>> submit(const Ask& wanted) {
    std::optional<Result<Answer>> answer;
    engine_->submit(wanted.event(), [&answer](Result<Answer> said) { answer = std::move(said); });
    run_turns();
    return answer;
  }
  std::optional<Result<Answer>> cancel(const std::vector<std::uint64_t>& jobs) {
    std::optional<Result<Answer>> answer;
    std::vector<JobId> ids;
    for (const std::uint64_t job : jobs) ids.push_back(JobId{job});
    engine_->post(CancelAsked{ourselves(), ids, {}},
                  [&answer](Result<Answer> said) { answer = std::move(said); });
    run_turns();
    return answer;
  }
  std::string state_of(std::uint64_t job) { return testing::state_of(engine_->state(), job); }

  Now now_ = at_second(100);
  SimLauncher::Plan plan_;
  MemoryStore store_;
  SimLauncher launcher_;
  SimMover mover_{launcher_};  // Nothing is moved here.
  Engine::Options options_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(BadDisk, WhatRunsCanBeCancelledWhileNothingCanBeWritten) {
  submit(ask());
  wait(Seconds{1});
  wait(Seconds{1});
  ASSERT_EQ(state_of(1), "running");
  store_.fail_next(1'000'000, ErrorCode::kStorageFull);
  ASSERT_FALSE(*submit(ask()));
  const auto answer = cancel({1});
  ASSERT_TRUE(answer && *answer) << "The kill goes through.";
  EXPECT_EQ(std::get<Changed>(**answer).jobs, std::vector<JobId>{JobId{1}});
  wait(Seconds{1});
  EXPECT_FALSE(launcher_.truth().at({JobId{1}, 1}).alive);
  EXPECT_EQ(state_of(1), "running") << "Nothing is said that is not on disk.";
  store_.fail_next(0, ErrorCode::kIo);
  wait(Seconds{2});
  EXPECT_EQ(state_of(1), "cancelled");
}

TEST_F(BadDisk, ACancelThatWasAcknowledgedIsNotForgottenWhenTheDaemonDies) {
  submit(ask().retries(3));
  submit(ask().hold());
  wait(Seconds{1});
  wait(Seconds{1});
  ASSERT_EQ(state_of(1), "running");
  store_.fail_next(1'000'000, ErrorCode::kStorageFull);
  ASSERT_FALSE(*submit(ask()));
  ASSERT_TRUE(*cancel({1, 2}));
  wait(Seconds{1});
  ASSERT_FALSE(launcher_.truth().at({JobId{1}, 1}).alive);
  launcher_.daemon_died();
  store_.fail_next(0, ErrorCode::kIo);
  boot();
  wait(Seconds{60});
  EXPECT_EQ(state_of(1), "cancelled");
  EXPECT_EQ(state_of(2), "cancelled");
  EXPECT_EQ(engine_->state().find(JobId{1})->attempt, 1);
  // It is done: a new start is not ended again.
  engine_->post(RequeueAsked{ourselves(), {JobId{1}}});
  wait(Seconds{1});
  wait(Seconds{1});
  launcher_.daemon_died();
  boot();
  wait(Seconds{1});
  EXPECT_EQ(state_of(1), "running");
}

TEST_F(BadDisk, ACancelThatCannotBeKeptIsDoneAndNotAcknowledged) {
  submit(ask());
  wait(Seconds{1});
  wait(Seconds{1});
  store_.fail_next(1'000'000, ErrorCode::kIo);
  const auto answer = cancel({1});
  ASSERT_TRUE(answer);
  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().code, ErrorCode::kIo);
  EXPECT_TRUE(answer->error().message.starts_with("job 1 is being ended, but"));
  wait(Seconds{1});
  EXPECT_FALSE(launcher_.truth().at({JobId{1}, 1}).alive);
  store_.fail_next(0, ErrorCode::kIo);
  wait(Seconds{2});
  EXPECT_EQ(state_of(1), "cancelled");
}

TEST_F(BadDisk, ACancelThatComesWhileACommitFailsGetsATurnOfItsOwn) {
  submit(ask());
  wait(Seconds{1});
  wait(Seconds{1});
  store_.fail_next(1'000'000, ErrorCode::kStorageFull);
  engine_->post(HoldAsked{ourselves(), {JobId{1}}});
  engine_->post(DrainAsked{ourselves(), {CardNumber{0}}});
  const auto commit = engine_->begin_turn(now_);
  ASSERT_TRUE(commit);
  std::optional<Result<Answer>> answer;
  engine_->post(CancelAsked{ourselves(), {JobId{1}}, {}},
                [&answer](Result<Answer> said) { answer = std::move(said); });
  engine_->finish_turn(store_.commit(*commit), now_);
  EXPECT_FALSE(answer);
  EXPECT_TRUE(engine_->wants_turn(now_)) << "At once.";
  turn();
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(store_.load()->cancels.size(), 1u);
}

TEST_F(BadDisk, ACancelOfWhatOnlyWaitsIsRefusedThen) {
  submit(ask().hold());
  store_.fail_next(1'000'000, ErrorCode::kStorageFull);
  ASSERT_FALSE(*submit(ask()));
  const auto answer = cancel({1});
  ASSERT_TRUE(answer);
  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().code, ErrorCode::kStorageFull);
  store_.fail_next(0, ErrorCode::kIo);
  wait(Seconds{2});
  EXPECT_EQ(state_of(1), "held");
}

TEST_F(BadDisk, JobsWaitOnAFullDiskAndNewOnesAreRefusedWithOneSentence) {
  submit(ask().hold());
  engine_->post(DiskSeen{true});
  engine_->post(ReleaseAsked{ourselves(), {JobId{1}}});
  run_turns();
  EXPECT_EQ(state_of(1), "queued");
  const auto reasons = why_waiting(engine_->state(), *engine_->state().find(JobId{1}), now_);
  ASSERT_FALSE(reasons.empty());
  EXPECT_EQ(reasons.front().code, ReasonCode::kDiskFull);
  const auto refused = submit(ask());
  ASSERT_TRUE(refused);
  ASSERT_FALSE(*refused);
  EXPECT_EQ(refused->error().code, ErrorCode::kStorageFull);
  engine_->post(DiskSeen{false});
  wait(Seconds{1});
  wait(Seconds{1});
  EXPECT_EQ(state_of(1), "running");
  EXPECT_TRUE(*submit(ask()));
}

TEST_F(BadDisk, AStartWithoutRoomIsTriedAgainHoweverOften) {
  plan_.launch_error = "make the job directory 1: No space left on device";
  plan_.no_room = true;
  submit(ask());
  for (int i = 0; i < 20; ++i) {
    wait(Seconds{6});
    ASSERT_NE(state_of(1), "failed");
  }
  EXPECT_GT(engine_->state().find(JobId{1})->attempt, 5);
  EXPECT_EQ(engine_->state().find(JobId{1})->failures, 0);
  plan_.launch_error.clear();
  for (int i = 0; i < 4; ++i) wait(Seconds{6});
  EXPECT_EQ(state_of(1), "running");
}

TEST_F(BadDisk, AStartUnderAClockFarAheadRemovesNothing) {
  plan_.run_for = Microseconds{1000};
  submit(ask());
  wait(Seconds{1});
  wait(Seconds{1});
  ASSERT_EQ(state_of(1), "completed");
  launcher_.daemon_died();
  now_.wall += std::chrono::hours{24 * 40};
  boot();
  wait(Seconds{60});
  EXPECT_EQ(state_of(1), "completed");
  // A job of that time, and another start: still nothing.
  submit(ask());
  wait(Seconds{1});
  launcher_.daemon_died();
  boot();
  wait(Seconds{60});
  EXPECT_EQ(state_of(1), "completed");
  // It has lasted: then it is the time.
  wait(std::chrono::hours{25});
  engine_->post(Reconsider{});
  wait(Seconds{1});
  EXPECT_EQ(state_of(1), "gone");
}

TEST_F(BadDisk, WhatRunsInTheOriginalIsOverInItsCopy) {
  submit(ask());
  wait(Seconds{1});
  ASSERT_EQ(state_of(1), "running");
  launcher_.daemon_died();
  launcher_.kill_supervisor({JobId{1}, 1});  // As the real launcher reports it: it is not ours.
  boot(/*copied=*/true);
  wait(Seconds{1});
  ASSERT_EQ(state_of(1), "failed");
  EXPECT_EQ(std::get<Ended>(engine_->state().find(JobId{1})->state).message, kRunsElsewhere);
}

}  // namespace
}  // namespace gpusched::testing
