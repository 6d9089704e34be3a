// Shares of projects: the second level, inside a tenant and never across it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "core/decide/decide.h"
#include "core/share/fair_share.h"
#include "core/share/order.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

void weigh_projects(State& state, const std::string& tenant, ProjectWeights weights, Now now) {
  TenantRule rule;
  rule.projects = std::move(weights);
  apply(state, TenantSetAsked{ourselves(), tenant, rule}, now);
}

Ask of_project(const std::string& project, std::uint32_t uid = 1) {
  Ask job = ask();
  job.uid(uid);
  job.spec().project = project;
  return job;
}

double used_by(const State& state, const std::string& project, std::int64_t second) {
  for (const ProjectShare& share : project_shares_of(state, "user1", at_second(second))) {
    if (share.project == project) return share.usage;
  }
  return -1;
}

TEST(ProjectShare, TheProjectBelowItsShareComesFirstWithinTheTenant) {
  State state = machine(1, 24);
  weigh_projects(state, "user1", {{"vision", 1}, {"speech", 1}}, at_second(0));
  of_project("vision").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  of_project("vision").priority(60).submit(state, at_second(1));
  of_project("speech").priority(50).submit(state, at_second(2));
  finish(state, 1, 0, at_second(100));
  EXPECT_EQ(waiting_in_order(state, 10, at_second(100)), (std::vector{JobId{3}, JobId{2}}));
  // A higher band stays before both.
  of_project("vision").priority(70).submit(state, at_second(101));
  EXPECT_EQ(waiting_in_order(state, 1, at_second(101)), (std::vector{JobId{4}}));
  state.check_invariants();
}

TEST(ProjectShare, WithoutWeightsProjectsChangeNothing) {
  State state = machine(1, 24);
  of_project("vision").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  of_project("vision").priority(60).submit(state, at_second(1));
  of_project("speech").submit(state, at_second(2));
  EXPECT_EQ(waiting_in_order(state, 10, at_second(100)), (std::vector{JobId{2}, JobId{3}}));
  EXPECT_TRUE(project_shares_of(state, "user1", at_second(100)).empty());
}

TEST(ProjectShare, ATenantsStandingComesBeforeThatOfItsProjects) {
  State state = machine(2, 24);
  weigh_projects(state, "user1", {{"vision", 1}, {"speech", 1}}, at_second(0));
  of_project("vision").gpus(2).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  of_project("speech").priority(69).submit(state, at_second(1));
  of_project("", 2).priority(40).submit(state, at_second(2));
  finish(state, 1, 0, at_second(100));
  // The tenant has had all there was: its neglected project waits with it.
  EXPECT_EQ(waiting_in_order(state, 10, at_second(100)), (std::vector{JobId{3}, JobId{2}}));
}

TEST(ProjectShare, UsageOfProjectsAddsUpToTheTenantsAndFadesWithIt) {
  State state = machine(3, 24);
  weigh_projects(state, "user1", {{"vision", 2}, {"speech", 1}}, at_second(0));
  of_project("vision").submit(state, at_second(0));
  of_project("speech").submit(state, at_second(0));
  of_project("unnamed").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 2, 0, at_second(1000));
  finish(state, 1, 0, at_second(3000));
  for (const std::int64_t second : {3000, 700'000}) {
    apply(state, TimePassed{}, at_second(second));
    const double all = shares_of(state, at_second(second)).front().usage;
    EXPECT_NEAR(used_by(state, "vision", second) + used_by(state, "speech", second) +
                    used_by(state, "", second),
                all, 1e-6 * all);
    EXPECT_GT(used_by(state, "vision", second), used_by(state, "speech", second));
  }
}

TEST(ProjectShare, AProjectThatLosesItsWeightGoesOnAmongTheOthers) {
  State state = machine(1, 24);
  weigh_projects(state, "user1", {{"vision", 1}}, at_second(0));
  of_project("vision").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 0, at_second(100));
  weigh_projects(state, "user1", {{"speech", 1}}, at_second(100));
  EXPECT_NEAR(used_by(state, "", 100), 100, 1);
  weigh_projects(state, "user1", {}, at_second(101));
  EXPECT_TRUE(project_shares_of(state, "user1", at_second(101)).empty());
}

// With steady demand of all, what the projects of a tenant get approaches their weights, and the
// tenants' own shares are what they are without projects.
RC_GTEST_PROP(ProjectShare, OverTimeEachGetsWhatItsWeightMakesDue, ()) {
  State state = machine(1, 24);
  const double weight = *rc::gen::inRange(1, 5);
  weigh_projects(state, "user1", {{"a", weight}, {"b", 1}}, at_second(0));
  std::map<std::string, int> runs;
  std::int64_t now = 0;
  const auto submit = [&](const std::string& project, std::uint32_t uid) {
    of_project(project, uid).submit(state, at_second(now));
  };
  for (int i = 0; i < 3; ++i) {
    submit("a", 1);
    submit("b", 1);
    submit("", 2);
  }
  constexpr int kRuns = 240;
  for (int i = 0; i < kRuns; ++i) {
    start_what_fits(state, at_second(now));
    RC_ASSERT(state.active().size() == 1U);
    const Job job = *state.find(*state.active().begin());
    const std::string& project = job.spec->project;
    ++runs[job.tenant];
    ++runs[job.tenant + "/" + project];
    now += 600;
    run(state, number_of(job.id), at_second(now - 600));
    finish(state, number_of(job.id), 0, at_second(now));
    submit(project, job.owner.uid);
    state.check_invariants();
  }
  RC_ASSERT(std::abs(runs["user1"] - kRuns / 2) <= 3);
  const double due = runs["user1"] * weight / (weight + 1);
  RC_ASSERT(std::abs(runs["user1/a"] - due) <= 4);
}

}  // namespace
}  // namespace gpusched::testing
