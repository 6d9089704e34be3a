#include "engine/engine_harness.h"

namespace gpusched::testing {
namespace {

TEST_F(EngineTest, AJobRunsFromSubmitToEnd) {
  const auto answer = submit(ask());
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(std::get<Submitted>(**answer).first, JobId{1});
  EXPECT_EQ(state_of(1), "starting");
  wait(1);
  EXPECT_EQ(state_of(1), "running");
  wait(1);
  EXPECT_EQ(state_of(1), "completed");
}

TEST_F(EngineTest, AsksForALookWhileTheSubmissionIsWrittenAndStartsWhenItHasCome) {
  plan_.run_for = Seconds{3600};
  std::vector<CardNumber> looks;
  engine_->on_look([&looks](CardNumber card) { looks.push_back(card); });
  const auto see = [this](std::uint16_t card) {
    CardSeen seen{CardNumber{card}, {}};
    seen.view.condition = CardCondition::kOk;
    seen.view.at = now_;
    engine_->post(std::move(seen));
  };
  see(0);
  see(1);
  wait(5);
  std::optional<Result<Answer>> answer;
  submit_into(ask(), answer);
  const auto commit = engine_->begin_turn(now_);
  ASSERT_TRUE(commit);
  EXPECT_EQ(looks, std::vector<CardNumber>{CardNumber{0}}) << "before the commit";
  engine_->finish_turn(store_.commit(*commit), now_);
  EXPECT_EQ(state_of(1), "queued");
  see(0);
  run_turns();
  EXPECT_EQ(state_of(1), "starting");
  // One that never comes is asked for again.
  looks.clear();
  submit(ask());
  wait(3);
  EXPECT_EQ(looks, std::vector<CardNumber>(looks.size(), CardNumber{1}));
  EXPECT_GE(looks.size(), 3u);
  EXPECT_LE(looks.size(), 4u);
}

TEST_F(EngineTest, SubmitAndStartShareOneCommit) {
  run_turns();
  const int before = commits_;
  submit(ask());
  EXPECT_EQ(commits_ - before, 1);
}

TEST_F(EngineTest, WhatGathersDuringACommitSharesTheNext) {
  run_turns();
  std::optional<Result<Answer>> first;
  submit_into(ask(), first);
  const auto commit = engine_->begin_turn(now_);
  ASSERT_TRUE(commit);
  std::vector<std::optional<Result<Answer>>> later(5);
  for (auto& answer : later) submit_into(ask(), answer);
  EXPECT_FALSE(first);
  EXPECT_FALSE(engine_->wants_turn(now_));
  engine_->finish_turn(store_.commit(*commit), now_);
  EXPECT_TRUE(first);
  const int before = commits_;
  run_turns();
  EXPECT_EQ(commits_ - before, 1);
  for (const auto& answer : later) EXPECT_TRUE(answer);
}

TEST_F(EngineTest, AFullDiskRefusesNewWorkKeepsWhatRunsAndRecoversByItself) {
  submit(ask());
  wait(1);
  store_.fail_next(3, ErrorCode::kStorageFull);
  const auto refused = submit(ask());
  ASSERT_TRUE(refused);
  ASSERT_FALSE(*refused);
  EXPECT_EQ(refused->error().code, ErrorCode::kStorageFull);
  EXPECT_TRUE(engine_->degraded());
  EXPECT_EQ(state_of(2), "gone");
  const auto at_once = submit(ask());
  EXPECT_FALSE(*at_once);
  EXPECT_EQ(state_of(1), "running");
  wait(5);
  EXPECT_FALSE(engine_->degraded());
  // The end came while nothing could be written; it was not forgotten.
  EXPECT_EQ(state_of(1), "completed");
  EXPECT_TRUE(*submit(ask()));
}

TEST_F(EngineTest, ALargeSubmissionOfAnAdministratorMayExceedThePriorityOfItsTenant) {
  run_turns();
  std::optional<Result<Answer>> large;
  submit_into(ask().gpus(0).array(95).priority(95), large);
  run_turns();
  ASSERT_TRUE(large && *large);
  EXPECT_EQ(std::get<Submitted>(**large).count, 95u);
  std::optional<Result<Answer>> of_user;
  submit_into(ask().gpus(0).array(95).priority(95).as_user(), of_user);
  run_turns();
  ASSERT_TRUE(of_user && !*of_user);
  EXPECT_EQ(of_user->error().code, ErrorCode::kForbidden);
}

TEST_F(EngineTest, ALargeSubmissionComesInSlicesAndIsAnsweredOnce) {
  run_turns();
  const int before = commits_;
  std::optional<Result<Answer>> large;
  std::optional<Result<Answer>> small;
  submit_into(ask().gpus(0).array(95), large);
  submit_into(ask().gpus(0), small);
  // One turn: a slice of the large one, and all of the small one.
  const auto commit = engine_->begin_turn(now_);
  engine_->finish_turn(store_.commit(*commit), now_);
  EXPECT_TRUE(small);
  EXPECT_FALSE(large);
  run_turns();
  ASSERT_TRUE(large && *large);
  EXPECT_EQ(std::get<Submitted>(**large).count, 95u);
  // Nothing else has to happen for all of it to be in the queue.
  EXPECT_EQ(engine_->state().counts().queued + engine_->state().counts().starting, 96u);
  EXPECT_GE(commits_ - before, 9);
  wait(60);
  EXPECT_EQ(engine_->state().counts().completed, 96u);
}

TEST_F(EngineTest, ListenersHearOfEveryJobOfALargeSubmissionOnceItIsWhole) {
  run_turns();
  std::vector<JobChange> told;
  engine_->on_change([&](const std::vector<JobChange>& changes) {
    told.insert(told.end(), changes.begin(), changes.end());
  });
  ASSERT_TRUE(submit(ask().gpus(0).array(25)));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().job, JobId{21});
  EXPECT_EQ(told.front().since, JobId{1});
}

TEST_F(EngineTest, ALargeSubmissionThatFailsHalfWayLeavesNothing) {
  run_turns();
  std::optional<Result<Answer>> large;
  submit_into(ask().gpus(0).array(95), large);
  for (int i = 0; i < 3; ++i) {
    const auto commit = engine_->begin_turn(now_);
    engine_->finish_turn(store_.commit(*commit), now_);
  }
  store_.fail_next(1, ErrorCode::kIo);
  run_turns();
  ASSERT_TRUE(large);
  EXPECT_FALSE(*large);
  wait(3);
  EXPECT_TRUE(engine_->state().jobs().empty());
  EXPECT_TRUE(store_.load()->jobs.empty());
}

TEST_F(EngineTest, TooManyRequestsAreRefusedNotQueuedForEver) {
  run_turns();
  int busy = 0;
  for (int i = 0; i < 60; ++i) {
    engine_->post(HoldAsked{ourselves(), {}}, [&](Result<Answer> answer) {
      if (!answer && answer.error().code == ErrorCode::kBusy) ++busy;
    });
  }
  EXPECT_EQ(busy, 10);
}

TEST_F(EngineTest, ListenersHearOfChangesOnlyWhenTheyAreOnDisk) {
  run_turns();
  std::vector<JobId> heard;
  engine_->on_change([&](const std::vector<JobChange>& changes) {
    for (const JobChange& change : changes) heard.push_back(change.job);
  });
  engine_->submit(ask().event(), {});
  const auto commit = engine_->begin_turn(now_);
  EXPECT_TRUE(heard.empty());
  engine_->finish_turn(store_.commit(*commit), now_);
  EXPECT_FALSE(heard.empty());
}

TEST_F(EngineTest, ARefusedRequestIsAnsweredWithoutACommit) {
  run_turns();
  const int before = commits_;
  const auto answer = submit(ask().vram(80));
  EXPECT_EQ(answer->error().code, ErrorCode::kNeverFits);
  EXPECT_EQ(commits_, before);
}

}  // namespace
}  // namespace gpusched::testing
