// Environments of ended jobs.
#include "engine/engine_harness.h"

namespace gpusched::testing {
namespace {

using Environments = EngineTest;

Ask with_variable(const std::string& name) {
  Ask made = ask().gpus(0);
  made.spec().environment = std::make_shared<Environment>(
      Environment{.hash = "hash-" + name, .variables = {"NAME=" + name}});
  return made;
}

TEST_F(Environments, EnvironmentsOfEndedJobsAreInTheStoreAloneUntilTheyRunAgain) {
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
  engine_->post(RequeueAsked{ourselves(), {JobId{1}}},
                [&answer](Result<Answer> given) { answer = std::move(given); });
  run_turns();
  ASSERT_TRUE(answer && *answer);
  EXPECT_TRUE(here());
  EXPECT_EQ(launched_with_, std::vector<std::string>{"NAME=one"});
  wait(5);
  EXPECT_FALSE(here());
}

TEST_F(Environments, AJobThatEndsWhileEnvironmentsAreReadIsNotStartedWithoutItsOwn) {
  plan_.run_for = Seconds{2};
  submit(with_variable("one"));
  submit(with_variable("two"));
  plan_.run_for = Seconds{1};
  wait(5);
  submit(with_variable("three"));  // Job 3 runs.
  later_ = true;
  std::optional<Result<Answer>> answer;
  engine_->post(RequeueAsked{ourselves(), {JobId{1}, JobId{3}}},
                [&answer](Result<Answer> given) { answer = std::move(given); });
  EXPECT_EQ(reads_, 1u);
  wait(5);
  ASSERT_EQ(state_of(3), "completed");
  read_later_();
  run_turns();
  ASSERT_TRUE(answer && *answer);
  const auto& changed = std::get<Changed>(**answer);
  EXPECT_EQ(changed.jobs, std::vector<JobId>{JobId{1}});
  ASSERT_EQ(changed.unchanged.size(), 1u);
  EXPECT_EQ(changed.unchanged[0].second, "has just ended; ask once more");
}

}  // namespace
}  // namespace gpusched::testing
