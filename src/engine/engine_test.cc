#include "engine/engine.h"

#include <gtest/gtest.h>

#include "engine/reconcile.h"
#include "sim/memory_store.h"
#include "sim/sim_launcher.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

// The real engine with its twins, driven by hand.
class EngineTest : public ::testing::Test {
 protected:
  EngineTest()
      : launcher_(
            [this](const LaunchOrder& order) {
              launched_with_ = order.environment->variables;
              return plan_;
            },
            {}) {
    boot();
  }

  void boot(const std::string& boot_id = "boot-1") {
    Engine::Options options;
    options.slice = 10;
    options.backlog = 50;
    options.jobs_directory = "/state/jobs";
    options.read_environments = [this](const std::vector<std::string>& hashes, const auto& done) {
      reads_ += hashes.size();
      if (later_) {
        read_later_ = [this, hashes, done] { done(store_.environments(hashes)); };
      } else {
        done(store_.environments(hashes));
      }
    };
    engine_ = std::make_unique<Engine>(State({}, HostCapacity{4, 64 * kGiB}), launcher_, options);
    launcher_.set_sink([this](LauncherReport report) { engine_->report(std::move(report)); });
    StoreImage image = *store_.load();
    const Reconciled done = reconcile(image, {}, std::make_shared<Environment>(), now_.wall);
    if (image.loss) {
      ASSERT_TRUE(store_.commit(done.repair));
    }
    engine_->recover(std::move(image), boot_id, now_);
    engine_->post(CardsReported{machine(2, 24).cards()});
  }
  // Runs turns until there is nothing to do at this instant.
  void settle() {
    for (int i = 0; i < 1000; ++i) {
      launcher_.advance(now_);
      if (!engine_->wants_turn(now_)) return;
      if (const auto commit = engine_->begin_turn(now_)) {
        ++commits_;
        engine_->finish_turn(store_.commit(*commit), now_);
      }
    }
    FAIL() << "the engine does not come to rest";
  }
  void wait(std::int64_t seconds) {
    for (std::int64_t i = 0; i < seconds * 10; ++i) {
      now_.wall += Microseconds{100'000};
      now_.boot += Microseconds{100'000};
      settle();
    }
  }
  std::optional<Result<Answer>> submit(const Ask& ask) {
    std::optional<Result<Answer>> answer;
    submit_into(ask, answer);
    settle();
    return answer;
  }
  void submit_into(const Ask& ask, std::optional<Result<Answer>>& answer) {
    engine_->submit(ask.event(), [&answer](Result<Answer> given) { answer = std::move(given); });
  }
  std::string state_of(std::uint64_t job) { return testing::state_of(engine_->state(), job); }

  Now now_ = at_second(0);
  SimLauncher::Plan plan_;
  MemoryStore store_;
  SimLauncher launcher_;
  std::unique_ptr<Engine> engine_;
  int commits_ = 0;
  std::vector<std::string> launched_with_;  // The last environment.
  std::size_t reads_ = 0;
  bool later_ = false;  // What is read comes when the test says so.
  std::function<void()> read_later_;
};

Ask with_variable(const std::string& name) {
  Ask made = ask().gpus(0);
  made.spec().environment = std::make_shared<Environment>(
      Environment{.hash = "hash-" + name, .variables = {"NAME=" + name}});
  return made;
}

TEST_F(EngineTest, EnvironmentsOfEndedJobsAreInTheStoreAloneUntilTheyRunAgain) {
  submit(with_variable("one"));
  const auto here = [this] { return !engine_->state().find(JobId{1})->spec->environment->away; };
  EXPECT_TRUE(here());
  wait(5);
  ASSERT_EQ(state_of(1), "completed");
  EXPECT_FALSE(here());
  // Another one with the same environment is not concerned.
  submit(with_variable("one"));
  EXPECT_FALSE(engine_->state().find(JobId{2})->spec->environment->away);
  std::optional<Result<Answer>> answer;
  engine_->post(RequeueAsked{{0, true}, {JobId{1}}},
                [&answer](Result<Answer> given) { answer = std::move(given); });
  settle();
  ASSERT_TRUE(answer && *answer);
  EXPECT_TRUE(here());
  EXPECT_EQ(launched_with_, std::vector<std::string>{"NAME=one"});
  wait(5);
  EXPECT_FALSE(here());
}

TEST_F(EngineTest, AJobThatEndsWhileEnvironmentsAreReadIsNotStartedWithoutItsOwn) {
  plan_.run_for = Seconds{2};
  submit(with_variable("one"));
  submit(with_variable("two"));
  plan_.run_for = Seconds{1};
  wait(5);
  submit(with_variable("three"));  // Job 3 runs.
  later_ = true;
  std::optional<Result<Answer>> answer;
  engine_->post(RequeueAsked{{0, true}, {JobId{1}, JobId{3}}},
                [&answer](Result<Answer> given) { answer = std::move(given); });
  EXPECT_EQ(reads_, 1u);
  wait(5);
  ASSERT_EQ(state_of(3), "completed");
  read_later_();
  settle();
  ASSERT_TRUE(answer && *answer);
  const auto& changed = std::get<Changed>(**answer);
  EXPECT_EQ(changed.jobs, std::vector<JobId>{JobId{1}});
  ASSERT_EQ(changed.unchanged.size(), 1u);
  EXPECT_EQ(changed.unchanged[0].second, "has just ended; ask once more");
}

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
  settle();
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
  settle();
  const int before = commits_;
  submit(ask());
  EXPECT_EQ(commits_ - before, 1);
}

TEST_F(EngineTest, WhatGathersDuringACommitSharesTheNext) {
  settle();
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
  settle();
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

TEST_F(EngineTest, ALargeSubmissionComesInSlicesAndIsAnsweredOnce) {
  settle();
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
  settle();
  ASSERT_TRUE(large && *large);
  EXPECT_EQ(std::get<Submitted>(**large).count, 95u);
  // Nothing else has to happen for all of it to be in the queue.
  EXPECT_EQ(engine_->state().counts().queued + engine_->state().counts().starting, 96u);
  EXPECT_GE(commits_ - before, 9);
  wait(60);
  EXPECT_EQ(engine_->state().counts().completed, 96u);
}

TEST_F(EngineTest, ListenersHearOfEveryJobOfALargeSubmissionOnceItIsWhole) {
  settle();
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
  settle();
  std::optional<Result<Answer>> large;
  submit_into(ask().gpus(0).array(95), large);
  for (int i = 0; i < 3; ++i) {
    const auto commit = engine_->begin_turn(now_);
    engine_->finish_turn(store_.commit(*commit), now_);
  }
  store_.fail_next(1, ErrorCode::kIo);
  settle();
  ASSERT_TRUE(large);
  EXPECT_FALSE(*large);
  wait(3);
  EXPECT_TRUE(engine_->state().jobs().empty());
  EXPECT_TRUE(store_.load()->jobs.empty());
}

TEST_F(EngineTest, AfterAKillTheRunningJobIsStillRunningAndItsExitArrives) {
  submit(ask());
  wait(1);
  ASSERT_EQ(state_of(1), "running");
  launcher_.daemon_died();
  boot();
  settle();
  EXPECT_EQ(state_of(1), "running");
  wait(1);
  EXPECT_EQ(state_of(1), "completed");
  EXPECT_EQ(launcher_.truth().at({JobId{1}, 1}).times_run, 1);
}

TEST_F(EngineTest, AfterAKillBeforeTheClaimTheJobStartsAgainOnce) {
  submit(ask());
  launcher_.daemon_died();
  boot();
  wait(3);
  EXPECT_EQ(state_of(1), "completed");
  EXPECT_EQ(engine_->state().find(JobId{1})->attempt, 2);
  EXPECT_FALSE(launcher_.truth().contains({JobId{1}, 1}));
}

TEST_F(EngineTest, AfterARebootAnAttemptWithoutAnExitIsMachineLost) {
  Ask restartable = ask();
  restartable.spec().restartable = true;
  submit(ask());
  submit(restartable);
  wait(1);
  launcher_.machine_died();
  now_.boot = Boot{Seconds{3}};
  boot("boot-2");
  settle();
  EXPECT_EQ(state_of(1), "failed");
  EXPECT_EQ(std::get<Ended>(engine_->state().find(JobId{1})->state).cause, Cause::kMachineLost);
  wait(3);
  EXPECT_EQ(state_of(2), "completed");
}

TEST_F(EngineTest, ARequestToStopIsRepeatedAfterARestart) {
  submit(ask());
  wait(1);
  engine_->post(CancelAsked{{0, true}, {JobId{1}}, {}});
  const auto commit = engine_->begin_turn(now_);
  ASSERT_TRUE(store_.commit(*commit));
  // The daemon dies before it could tell the shim.
  launcher_.daemon_died();
  boot();
  wait(1);
  EXPECT_EQ(state_of(1), "cancelled");
}

TEST_F(EngineTest, ARequestToSaveIsRepeatedAfterARestart) {
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
  launcher_.daemon_died();
  boot();
  wait(3);
  const Job& job = *engine_->state().find(JobId{1});
  EXPECT_EQ(job.attempt, 2);
  EXPECT_EQ(job.saved_attempt, 1);
}

TEST_F(EngineTest, WhatWasPausedSinceThenGoesOnWhenAnOlderStoreIsPutBack) {
  plan_.run_for = Seconds{3};
  submit(ask());
  wait(1);
  ASSERT_TRUE(store_.backup("older"));
  engine_->post(PauseAsked{{0, true}, {JobId{1}}});
  wait(1);
  ASSERT_EQ(launcher_.place_of({JobId{1}, 1}), SimLauncher::Place::kFrozen);
  launcher_.daemon_died();
  store_.go_back_to("older");
  boot();
  wait(5);
  EXPECT_EQ(state_of(1), "completed");
}

TEST_F(EngineTest, WhatWasResumedSinceThenIsPausedAgainWhenAnOlderStoreIsPutBack) {
  plan_.run_for = Seconds{3};
  submit(ask());
  wait(1);
  engine_->post(PauseAsked{{0, true}, {JobId{1}}});
  wait(1);
  ASSERT_TRUE(store_.backup("older"));
  engine_->post(ResumeAsked{{0, true}, {JobId{1}}});
  wait(1);
  ASSERT_EQ(launcher_.place_of({JobId{1}, 1}), SimLauncher::Place::kOnCards);
  launcher_.daemon_died();
  store_.go_back_to("older");
  boot();
  wait(1);
  EXPECT_EQ(state_of(1), "paused");
  EXPECT_EQ(launcher_.place_of({JobId{1}, 1}), SimLauncher::Place::kFrozen) << "as it is told";
}

TEST_F(EngineTest, TooManyRequestsAreRefusedNotQueuedForEver) {
  settle();
  int busy = 0;
  for (int i = 0; i < 60; ++i) {
    engine_->post(HoldAsked{{0, true}, {}}, [&](Result<Answer> answer) {
      if (!answer && answer.error().code == ErrorCode::kBusy) ++busy;
    });
  }
  EXPECT_EQ(busy, 10);
}

TEST_F(EngineTest, ListenersHearOfChangesOnlyWhenTheyAreOnDisk) {
  settle();
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
  settle();
  const int before = commits_;
  const auto answer = submit(ask().vram(80));
  EXPECT_EQ(answer->error().code, ErrorCode::kNeverFits);
  EXPECT_EQ(commits_, before);
}

}  // namespace
}  // namespace gpusched::testing
