// The highest priority that a tenant may ask for: high for users, any for administrators, and
// whatever a rule says.
#include <gtest/gtest.h>

#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

const Principal kUser{.uid = 1};

Ask by_user(int priority) { return ask().uid(1).as_user().priority(priority); }

TEST(HighestPriority, OfUsersIsHighAndOfAdministratorsAny) {
  State state = machine(1, 24);
  expect_refused(RefusalKind::kForbidden, by_user(85).submit(state, at_second(0)));
  EXPECT_TRUE(accepted(by_user(84).submit(state, at_second(0))));
  EXPECT_TRUE(accepted(ask().priority(100).submit(state, at_second(0))));
  EXPECT_EQ(state.jobs().size(), 2u) << "what was refused does not exist";
}

TEST(HighestPriority, IsWhatATenantsRuleSays) {
  State state = machine(1, 24);
  TenantRule lower;
  lower.highest_priority = 69;
  apply(state, TenantSetAsked{ourselves(), "user1", lower, false}, at_second(0));
  expect_refused(RefusalKind::kForbidden, by_user(70).submit(state, at_second(0)));
  EXPECT_TRUE(accepted(by_user(69).submit(state, at_second(0))));
  TenantRule none;
  none.highest_priority = kNoLimit;
  apply(state, TenantSetAsked{ourselves(), "default", none, false}, at_second(0));
  // Its own rule is stronger.
  expect_refused(RefusalKind::kForbidden, by_user(70).submit(state, at_second(0)));
  apply(state, TenantUnsetAsked{ourselves(), "user1"}, at_second(0));
  EXPECT_TRUE(accepted(by_user(100).submit(state, at_second(0))));
}

TEST(HighestPriority, HoldsForSet) {
  State state = machine(1, 24);
  by_user(50).submit(state, at_second(0));
  const auto set = [&](const Principal& actor, int priority) {
    return apply(state, SetAsked{actor, {JobId{1}}, priority_patch(priority)}, at_second(1)).answer;
  };
  expect_refused(RefusalKind::kForbidden, set(kUser, 85));
  EXPECT_EQ(state.find(JobId{1})->priority, 50);
  EXPECT_TRUE(accepted(set(kUser, 84)));
  EXPECT_TRUE(accepted(set(ourselves(), 95)));
  EXPECT_TRUE(accepted(
      apply(state, SetAsked{kUser, {JobId{1}}, patch_with(&JobSpec::name, "x")}, at_second(1))
          .answer))
      << "what an administrator gave stays";
}

TEST(HighestPriority, HoldsForWhatIsLetIntoTheQueueAgain) {
  State state = machine(1, 24);
  by_user(50).hold().submit(state, at_second(0));
  by_user(50).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 2, at_second(0));
  finish(state, 2, 1, at_second(1));
  apply(state, SetAsked{ourselves(), {JobId{1}}, priority_patch(85)}, at_second(1));
  expect_refused(RefusalKind::kForbidden,
                 apply(state, ReleaseAsked{kUser, {JobId{1}}}, at_second(2)).answer);
  EXPECT_EQ(state_of(state, 1), "held");
  EXPECT_TRUE(accepted(apply(state, ReleaseAsked{ourselves(), {JobId{1}}}, at_second(2)).answer));
  TenantRule lower;
  lower.highest_priority = 49;
  apply(state, TenantSetAsked{ourselves(), "user1", lower, false}, at_second(3));
  expect_refused(RefusalKind::kForbidden,
                 apply(state, RequeueAsked{kUser, {JobId{2}}}, at_second(3)).answer);
  EXPECT_EQ(state_of(state, 2), "failed");
  EXPECT_TRUE(accepted(apply(state, RequeueAsked{ourselves(), {JobId{2}}}, at_second(3)).answer));
  EXPECT_EQ(state_of(state, 1), "queued") << "what waits already waits on";
}

TEST(HighestPriority, HoldsForLeases) {
  State state = machine(1, 24);
  Ask lease = by_user(85);
  lease.spec().lease = std::make_shared<LeaseTerms>(LeaseTerms{.pid = 7});
  expect_refused(RefusalKind::kForbidden, lease.submit(state, at_second(0)));
}

}  // namespace
}  // namespace gpusched::testing
