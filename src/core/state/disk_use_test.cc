#include "core/state/disk_use.h"

#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

TEST(DiskUse, WhoKeepsTooMuchOnTheDiskStartsNothingUntilItIsLess) {
  State state = machine(4, 24);
  ask().uid(1).submit(state, at_second(0));
  ask().uid(1).gpus(0).submit(state, at_second(0));
  ask().uid(2).submit(state, at_second(0));
  apply(state, DiskUseSeen{{{"user1", 3 * kGiB}, {"user2", kGiB}}, 2 * kGiB}, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(2)), (Jobs{3}));
  expect_reason(ReasonCode::kTenantQuota, reason_of(state, 1, at_second(2)));
  apply(state, DiskUseSeen{{{"user1", 2 * kGiB}, {"user2", kGiB}}, 2 * kGiB}, at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(4)), (Jobs{1, 2}));
}

TEST(DiskUse, UsersOfOneTenantShareItsRoomOnTheDisk) {
  State state = machine(2, 24);
  ConfiguredTenants lab;
  lab.tenant_of_user = {{"user1", "lab"}, {"user2", "lab"}};
  state.configure_tenants(lab);
  apply(state, DiskUseSeen{{{"user1", kGiB}, {"user2", kGiB}}, kGiB}, at_second(0));
  EXPECT_TRUE(state.disk_use().too_much("lab"));
  apply(state, DiskUseSeen{{{"user1", kGiB}, {"user2", kGiB}}, 0}, at_second(0));
  EXPECT_FALSE(state.disk_use().too_much("lab")) << "no limit";
}

}  // namespace
}  // namespace gpusched::testing
