#include "core/state/ended_environments.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

void cancel(State& state, std::vector<JobId> jobs) {
  apply(state, CancelAsked{ourselves(), std::move(jobs), {}}, at_second(1));
}
bool may_go(const State& state, std::uint64_t job) {
  return state.environments().may_go(*state.find(JobId{job}));
}
Ask with_environment() {
  Ask made = ask().hold();
  made.spec().environment =
      std::make_shared<Environment>(Environment{.hash = "name", .variables = {"A=1"}});
  return made;
}

TEST(EndedEnvironments, GoesWhenASingleJobHasEnded) {
  State state = machine(1, 24);
  with_environment().submit(state, at_second(0));
  EXPECT_FALSE(may_go(state, 1));
  cancel(state, {JobId{1}});
  EXPECT_TRUE(may_go(state, 1));
}

TEST(EndedEnvironments, GoesWithTheLastJobOfAnArray) {
  State state = machine(1, 24);
  with_environment().array(3).submit(state, at_second(0));
  cancel(state, {JobId{1}, JobId{3}});
  EXPECT_FALSE(may_go(state, 1));
  cancel(state, {JobId{2}});
  EXPECT_TRUE(may_go(state, 1));
}

TEST(EndedEnvironments, StaysWhenTheEndIsUndone) {
  State state = machine(1, 24);
  with_environment().array(2).submit(state, at_second(0));
  state.keep_changes();
  cancel(state, {JobId{1}, JobId{2}});
  EXPECT_TRUE(may_go(state, 1));
  state.roll_back(at_second(1));
  EXPECT_FALSE(may_go(state, 1));
}

TEST(EndedEnvironments, ComesBackByName) {
  JobSpec spec;
  spec.environment =
      std::make_shared<Environment>(Environment{.hash = "name", .variables = {"A=1"}});
  const EnvironmentsByHash kept{{"name", spec.environment}};
  EXPECT_GT(put_away(spec), 0u);
  EXPECT_EQ(put_away(spec), 0u);
  EXPECT_TRUE(spec.environment->away);
  EXPECT_EQ(spec.environment->hash, "name");
  EXPECT_FALSE(bring_back(spec, {}));
  EXPECT_TRUE(bring_back(spec, kept));
  EXPECT_EQ(spec.environment->variables, std::vector<std::string>{"A=1"});
}

}  // namespace
}  // namespace gpusched::testing
