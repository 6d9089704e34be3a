// Who asked for a change is in the commit of that change.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/engine_harness.h"

namespace gpusched::testing {
namespace {

std::shared_ptr<Asked> asked_for(const std::string& operation,
                                 AuditKind kind = AuditKind::kChange) {
  auto asked = std::make_shared<Asked>();
  asked->entry.operation = operation;
  asked->entry.kind = kind;
  asked->entry.uid = 1000;
  return asked;
}

class AuditOfTurns : public EngineTest {
 protected:
  // What a commit of this turn holds, without the store.
  std::optional<Commit> begin() {
    while (engine_->wants_turn(now_)) {
      if (auto commit = engine_->begin_turn(now_)) return commit;
    }
    return std::nullopt;
  }
  void end(const Commit& commit) { engine_->finish_turn(store_.commit(commit), now_); }
  std::vector<std::string> kept() {
    std::vector<std::string> texts;
    const auto entries = store_.audit({.most = 100, .leases = true});
    for (const AuditEntry& one : *entries) {
      texts.push_back(one.operation + ": " + one.result + " " + one.summary);
    }
    std::ranges::reverse(texts);
    return texts;
  }
  using Texts = std::vector<std::string>;
};

TEST_F(AuditOfTurns, AnEntryIsInTheCommitOfItsChangeAndOneOnly) {
  run_turns();
  const auto asked = asked_for("submit_jobs");
  std::optional<Result<Answer>> answer;
  engine_->submit(
      ask().gpus(0).hold().event(), [&](Result<Answer> given) { answer = std::move(given); },
      asked);
  const auto commit = begin();
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->jobs.put.size(), 1U);
  ASSERT_EQ(commit->audit.size(), 1U);
  EXPECT_EQ(commit->audit[0].summary, "job 1");
  EXPECT_FALSE(asked->recorded);
  end(*commit);
  EXPECT_TRUE(asked->recorded);
  EXPECT_TRUE(answer && *answer);
  run_turns();
  EXPECT_EQ(kept(), Texts{"submit_jobs: done job 1"});
}

TEST_F(AuditOfTurns, WhatIsRefusedOrCannotBeWrittenIsNoChange) {
  run_turns();
  const auto refused = asked_for("cancel_jobs");
  engine_->post(
      CancelAsked{ourselves(), {JobId{7}}, {}}, [](const Result<Answer>&) {}, refused);
  run_turns();
  EXPECT_FALSE(refused->recorded);
  const auto failed = asked_for("submit_jobs");
  store_.fail_next(1, ErrorCode::kIo);
  engine_->submit(
      ask().gpus(0).event(), [](const Result<Answer>&) {}, failed);
  run_turns();
  EXPECT_FALSE(failed->recorded);
  EXPECT_TRUE(kept().empty());
}

TEST_F(AuditOfTurns, ANoteGoesAlongAndOutlivesACommitThatFails) {
  run_turns();
  AuditEntry note;
  note.operation = "authenticate";
  note.result = "refused";
  note.at = now_.wall;
  engine_->note(note);
  EXPECT_FALSE(begin()) << "it is no hurry";
  EXPECT_TRUE(engine_->next_deadline(now_));
  engine_->submit(
      ask().gpus(0).hold().event(), [](const Result<Answer>&) {}, asked_for("submit_jobs"));
  store_.fail_next(1, ErrorCode::kIo);
  auto commit = begin();
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->audit.size(), 2U);
  end(*commit);
  now_ = at_second(5);
  run_turns();
  EXPECT_EQ(kept(), Texts{"authenticate: refused "});
}

TEST_F(AuditOfTurns, ANoteAloneIsWrittenAfterAWhile) {
  run_turns();
  AuditEntry note;
  note.operation = "authenticate";
  note.result = "refused";
  note.at = now_.wall;
  engine_->note(note);
  run_turns();
  EXPECT_TRUE(kept().empty());
  now_ = at_second(2);
  run_turns();
  EXPECT_EQ(kept(), Texts{"authenticate: refused "});
}

TEST_F(AuditOfTurns, AVeryLargeRequestIsOneEntryFromItsFirstSliceOn) {
  run_turns();
  engine_->submit(
      ask().gpus(0).hold().array(95).event(), [](const Result<Answer>&) {},
      asked_for("submit_jobs"));
  run_turns();
  EXPECT_EQ(kept(), Texts{"submit_jobs: done jobs 1 to 95"});
  std::vector<JobId> all;
  for (const auto& [id, job] : engine_->state().jobs()) all.push_back(id);
  engine_->post(
      CancelAsked{ourselves(), all, {}}, [](const Result<Answer>&) {}, asked_for("cancel_jobs"));
  const auto first = begin();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->jobs.put.size(), 10U);
  end(*first);
  EXPECT_EQ(kept().back(), "cancel_jobs: begun 95 jobs");
  run_turns();
  EXPECT_EQ(kept(), (Texts{"submit_jobs: done jobs 1 to 95", "cancel_jobs: done 95 jobs"}));
}

TEST_F(AuditOfTurns, ALargeRequestThatTheStoreBrokeOffSaysSo) {
  run_turns();
  engine_->submit(ask().gpus(0).hold().array(40).event(), [](const Result<Answer>&) {});
  run_turns();
  std::vector<JobId> all;
  for (const auto& [id, job] : engine_->state().jobs()) all.push_back(id);
  engine_->post(HoldAsked{ourselves(), all}, [](const Result<Answer>&) {});
  engine_->post(
      CancelAsked{ourselves(), all, {}}, [](const Result<Answer>&) {}, asked_for("cancel_jobs"));
  auto commit = begin();
  ASSERT_TRUE(commit);
  end(*commit);
  store_.fail_next(1, ErrorCode::kIo);
  commit = begin();
  ASSERT_TRUE(commit);
  end(*commit);
  now_ = at_second(5);
  run_turns();
  EXPECT_EQ(kept(), Texts{"cancel_jobs: failed 40 jobs"});
}

TEST_F(AuditOfTurns, NumbersGoOnAfterARestart) {
  run_turns();
  engine_->submit(
      ask().gpus(0).hold().event(), [](const Result<Answer>&) {}, asked_for("one"));
  run_turns();
  boot();
  engine_->submit(
      ask().gpus(0).hold().event(), [](const Result<Answer>&) {}, asked_for("two"));
  run_turns();
  EXPECT_EQ(kept(), (Texts{"one: done job 1", "two: done job 2"}));
}

}  // namespace
}  // namespace gpusched::testing
