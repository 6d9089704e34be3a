// On a directory tree that stands in for a hierarchy whose kernel has the controller.
#include "jobdir/dmem.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "os/fd.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

constexpr const char* kCapacity =
    "drm/0000:03:00.0/vram0 8514437120\n"
    "nvidia/0000:c1:00.0/vidmem 150000000000\n"
    "drm/0000:09:00.0/vram0 4000\n"
    "drm/0000:09:00.0/vram1 4000\n";

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Dmem, FindsTheRegionsOfACardHoweverItsAddressIsWritten) {
  using Regions = std::vector<std::string>;
  EXPECT_EQ(dmem_regions(kCapacity, "0000:03:00.0"), Regions{"drm/0000:03:00.0/vram0"});
  EXPECT_EQ(dmem_regions(kCapacity, "00000000:C1:00.0"), Regions{"nvidia/0000:c1:00.0/vidmem"});
  EXPECT_EQ(dmem_regions(kCapacity, "0000:09:00.0").size(), 2U);
  EXPECT_EQ(dmem_regions(kCapacity, "00010000:03:00.0"), Regions{}) << "another domain";
  EXPECT_EQ(dmem_regions(kCapacity, ""), Regions{});
  EXPECT_EQ(dmem_regions("", "0000:03:00.0"), Regions{});
}

TEST(Dmem, TheLimitIsWrittenForEveryCardOrSaidNotToBind) {
  const testing::TemporaryDirectory root;
  const std::string leaf = root / "base" + "/jobs/7.1";
  std::filesystem::create_directories(leaf);
  EXPECT_EQ(read_dmem_capacity(leaf), "");
  std::ofstream(root / "dmem.capacity") << kCapacity;
  EXPECT_EQ(read_dmem_capacity(leaf), kCapacity);
  const Fd group(::open(leaf.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(group);
  const std::vector<VramLimit> one = {{"0000:03:00.0", 4096}};
  EXPECT_FALSE(limit_dmem(group.get(), kCapacity, one)) << "the group has no such file";
  std::ofstream(leaf + "/dmem.max") << "";
  EXPECT_TRUE(limit_dmem(group.get(), kCapacity, one));
  EXPECT_EQ(content_of(leaf + "/dmem.max"), "drm/0000:03:00.0/vram0 4096\n");
  EXPECT_FALSE(limit_dmem(group.get(), kCapacity, {{"0000:03:00.0", 1}, {"0000:77:00.0", 1}}));
  EXPECT_FALSE(limit_dmem(group.get(), "", one)) << "the kernel has no such controller";
  EXPECT_FALSE(limit_dmem(group.get(), kCapacity, {}));
}

}  // namespace
}  // namespace gpusched
