#include "daemon/disk_room.h"

#include <gtest/gtest.h>

namespace gpusched::testing {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20;

DiskSpace space(std::uint64_t free_mib, std::uint64_t all_mib) {
  return {.free_bytes = free_mib * kMiB, .all_bytes = all_mib * kMiB};
}

TEST(DiskRoom, IsFullBelowALimitAndStaysSoUntilThereIsTwiceThat) {
  EXPECT_FALSE(is_full(space(16, 1000), false));
  EXPECT_TRUE(is_full(space(15, 1000), false));
  EXPECT_TRUE(is_full(space(31, 1000), true));
  EXPECT_FALSE(is_full(space(32, 1000), true));
}

TEST(DiskRoom, ASmallDiskNeedsLess) {
  EXPECT_FALSE(is_full(space(2, 32), false));
  EXPECT_TRUE(is_full(space(1, 32), false));
}

TEST(DiskRoom, FilesCanRunOutToo) {
  DiskSpace files = space(500, 1000);
  files.all_files = 100'000;
  files.free_files = 199;
  EXPECT_TRUE(is_full(files, false));
  files.free_files = 200;
  EXPECT_FALSE(is_full(files, false));
  EXPECT_TRUE(is_full(files, true));
}

TEST(DiskRoom, ReadsThisDisk) {
  const auto here = disk_space_of("/");
  ASSERT_TRUE(here);
  EXPECT_GT(here->all_bytes, 0u);
  EXPECT_FALSE(disk_space_of("/nonexistent/place"));
}

}  // namespace
}  // namespace gpusched::testing
