// What a new daemon makes of what the last one left.
#include "engine/engine_harness.h"

namespace gpusched::testing {
namespace {

using Recovery = EngineTest;

TEST_F(Recovery, AfterAKillTheRunningJobIsStillRunningAndItsExitArrives) {
  submit(ask());
  wait(1);
  ASSERT_EQ(state_of(1), "running");
  daemon_dies();
  boot();
  run_turns();
  EXPECT_EQ(state_of(1), "running");
  wait(1);
  EXPECT_EQ(state_of(1), "completed");
  EXPECT_EQ(launcher_.truth().at({JobId{1}, 1}).times_run, 1);
}

TEST_F(Recovery, AfterAKillBeforeTheClaimTheJobStartsAgainOnce) {
  submit(ask());
  daemon_dies();
  boot();
  wait(3);
  EXPECT_EQ(state_of(1), "completed");
  EXPECT_EQ(engine_->state().find(JobId{1})->attempt, 2);
  EXPECT_FALSE(launcher_.truth().contains({JobId{1}, 1}));
}

TEST_F(Recovery, AfterARebootAnAttemptWithoutAnExitIsMachineLost) {
  Ask restartable = ask();
  restartable.spec().restartable = true;
  submit(ask());
  submit(restartable);
  wait(1);
  launcher_.machine_died();
  now_.boot = Boot{Seconds{3}};
  boot("boot-2");
  run_turns();
  EXPECT_EQ(state_of(1), "failed");
  EXPECT_EQ(std::get<Ended>(engine_->state().find(JobId{1})->state).cause, Cause::kMachineLost);
  wait(3);
  EXPECT_EQ(state_of(2), "completed");
}

TEST_F(Recovery, ARequestToStopIsRepeatedAfterARestart) {
  submit(ask());
  wait(1);
  engine_->post(CancelAsked{ourselves(), {JobId{1}}, {}});
  const auto commit = engine_->begin_turn(now_);
  ASSERT_TRUE(store_.commit(*commit));
  // The daemon dies before it could tell the shim.
  daemon_dies();
  boot();
  wait(1);
  EXPECT_EQ(state_of(1), "cancelled");
}

TEST_F(Recovery, ARequestToSaveIsRepeatedAfterARestart) {
  plan_.run_for = Seconds{100'000};
  plan_.saves_within = Seconds{1};
  Ask saving = ask();
  saving.spec().saves = std::make_shared<SaveTerms>();
  submit(saving);
  wait(1);
  // On disk it is asked to make room; the daemon died before it could say so.
  Commit asked;
  asked.jobs.put.push_back(*engine_->state().find(JobId{1}));
  std::get<Running>(asked.jobs.put.back().state).stopping = StopReason::kMakeRoom;
  ASSERT_TRUE(store_.commit(asked));
  daemon_dies();
  boot();
  wait(3);
  const Job& job = *engine_->state().find(JobId{1});
  EXPECT_EQ(job.attempt, 2);
  EXPECT_EQ(job.saved_attempt, 1);
}

TEST_F(Recovery, WhatWasPausedSinceThenGoesOnWhenAnOlderStoreIsPutBack) {
  plan_.run_for = Seconds{3};
  submit(ask());
  wait(1);
  ASSERT_TRUE(store_.backup("older"));
  engine_->post(PauseAsked{ourselves(), {JobId{1}}});
  wait(1);
  ASSERT_EQ(launcher_.place_of({JobId{1}, 1}), SimLauncher::Place::kFrozen);
  daemon_dies();
  store_.go_back_to("older");
  boot();
  wait(5);
  EXPECT_EQ(state_of(1), "completed");
}

TEST_F(Recovery, WhatWasResumedSinceThenIsPausedAgainWhenAnOlderStoreIsPutBack) {
  plan_.run_for = Seconds{3};
  submit(ask());
  wait(1);
  engine_->post(PauseAsked{ourselves(), {JobId{1}}});
  wait(1);
  ASSERT_TRUE(store_.backup("older"));
  engine_->post(ResumeAsked{ourselves(), {JobId{1}}});
  wait(1);
  ASSERT_EQ(launcher_.place_of({JobId{1}, 1}), SimLauncher::Place::kOnCards);
  daemon_dies();
  store_.go_back_to("older");
  boot();
  wait(1);
  EXPECT_EQ(state_of(1), "paused");
  EXPECT_EQ(launcher_.place_of({JobId{1}, 1}), SimLauncher::Place::kFrozen) << "as it is told";
}

// An alarm of a failure comes with a later commit than the failure.
TEST_F(Recovery, KnowsWhatFailedBehindTheLastLookAtTheAlarms) {
  plan_.exit_code = 3;
  submit(ask());
  wait(3);
  ASSERT_EQ(state_of(1), "failed");
  const auto unlooked = [this] { return store_.load()->unlooked; };
  ASSERT_EQ(unlooked().size(), 1U);
  const std::uint64_t failed = unlooked()[0].sequence;
  engine_->post(AlarmsSeen{.changes = {}, .looked = failed});
  run_turns();
  EXPECT_EQ(unlooked().size(), 1U) << "alone it is nothing";
  submit(ask());
  EXPECT_TRUE(unlooked().empty()) << "it goes along";
  wait(3);
  ASSERT_EQ(unlooked().size(), 1U);
  AlarmsSeen seen{.changes = {}, .looked = unlooked()[0].sequence};
  seen.changes.put.push_back({.key = {"job_failed", "user ml1"}, .since = now_.wall});
  store_.fail_next(1, ErrorCode::kIo);
  engine_->post(seen, [](const Result<Answer>&) {});
  run_turns();
  EXPECT_EQ(unlooked().size(), 1U) << "what was not written was not looked at";
  wait(3);
  engine_->post(seen, [](const Result<Answer>&) {});
  run_turns();
  EXPECT_TRUE(unlooked().empty());
  daemon_dies();
  boot();
  submit(ask());
  EXPECT_EQ(store_.load()->alarms_looked, seen.looked) << "the next daemon takes nothing back";
}

}  // namespace
}  // namespace gpusched::testing
