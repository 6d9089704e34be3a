// A change with a key is done once, also if the daemon is killed before anybody heard of it.
#include <gtest/gtest.h>

#include "engine/engine_harness.h"

namespace gpusched::testing {
namespace {

class KeysOfChanges : public EngineTest {
 protected:
  static std::shared_ptr<Asked> with_key(const std::string& key, const std::string& digest = "it") {
    auto asked = std::make_shared<Asked>();
    asked->entry.uid = 1000;
    asked->entry.operation = "any";
    asked->key = key;
    asked->digest = digest;
    return asked;
  }
  Result<Answer> post(Event event, std::shared_ptr<Asked> asked) {
    std::optional<Result<Answer>> answer;
    engine_->post(
        std::move(event), [&](Result<Answer> given) { answer = std::move(given); },
        std::move(asked));
    run_turns();
    return answer.value();
  }
  void die_and_boot() {
    daemon_dies();
    boot();
    run_turns();
  }
  std::vector<JobId> all() {
    std::vector<JobId> ids;
    for (const auto& [id, job] : engine_->state().jobs()) ids.push_back(id);
    return ids;
  }
};

TEST_F(KeysOfChanges, ARepeatAfterTheDaemonDiedIsToldTheAnswerAndDoneOnce) {
  run_turns();
  const auto first = with_key("k");
  const Result<Answer> made = post(ask().gpus(0).hold().event(), first);
  ASSERT_TRUE(made);
  EXPECT_FALSE(first->repeated);
  die_and_boot();
  const auto again = with_key("k");
  const Result<Answer> told = post(ask().gpus(0).hold().event(), again);
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(std::get<Submitted>(*told).first, std::get<Submitted>(*made).first);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(all().size(), 1U);
  EXPECT_EQ(store_.audit({.most = 10})->size(), 1U) << "nothing was changed by the second";
}

TEST_F(KeysOfChanges, ACommitThatFailedLeavesNoKey) {
  run_turns();
  store_.fail_next(1, ErrorCode::kIo);
  EXPECT_FALSE(post(ask().gpus(0).hold().event(), with_key("k")));
  wait(5);
  EXPECT_TRUE(post(ask().gpus(0).hold().event(), with_key("k")));
  EXPECT_EQ(all().size(), 1U);
}

TEST_F(KeysOfChanges, AnotherRequestIsRefusedAlsoAfterARestart) {
  run_turns();
  ASSERT_TRUE(post(ask().gpus(0).hold().event(), with_key("k")));
  die_and_boot();
  const Result<Answer> other = post(ask().gpus(0).hold().event(), with_key("k", "another"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kConflict);
  EXPECT_EQ(all().size(), 1U);
}

TEST_F(KeysOfChanges, AVerbForManyJobsIsKeptWithItsLastSlice) {
  run_turns();
  engine_->submit(ask().gpus(0).hold().array(45).event(), [](const Result<Answer>&) {});
  run_turns();
  const std::vector<JobId> jobs = all();
  ASSERT_TRUE(post(CancelAsked{ourselves(), jobs, {}}, with_key("k")));
  die_and_boot();
  const auto again = with_key("k");
  const Result<Answer> told = post(CancelAsked{ourselves(), jobs, {}}, again);
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(std::get<Changed>(*told).jobs.size(), 45U);
  EXPECT_TRUE(again->repeated);
}

TEST_F(KeysOfChanges, AVerbForManyJobsThatWasBrokenOffIsNotBegunAgain) {
  run_turns();
  engine_->submit(ask().gpus(0).hold().array(45).event(), [](const Result<Answer>&) {});
  run_turns();
  const std::vector<JobId> jobs = all();
  engine_->post(
      CancelAsked{ourselves(), jobs, {}}, [](const Result<Answer>&) {}, with_key("k"));
  bool sliced = false;
  while (!sliced) {
    const auto commit = engine_->begin_turn(now_);
    if (!commit) continue;
    sliced = !commit->jobs.put.empty();
    engine_->finish_turn(store_.commit(*commit), now_);
  }
  die_and_boot();
  const Result<Answer> told = post(CancelAsked{ourselves(), jobs, {}}, with_key("k"));
  ASSERT_FALSE(told);
  EXPECT_NE(told.error().message.find("broken off in the middle"), std::string::npos);
  EXPECT_EQ(state_of(1), "held") << "nothing further was done";
}

}  // namespace
}  // namespace gpusched::testing
