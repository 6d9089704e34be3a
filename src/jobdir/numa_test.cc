#include "jobdir/numa.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gpusched {
namespace {

// A sysfs as a machine with two nodes and three cards has it.
class Numa : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "numa-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    write("devices/system/node/node0/cpulist", "0-3,8-11");
    write("devices/system/node/node1/cpulist", "4-7,12-15");
    write("devices/system/node/node2/cpulist", "");  // Memory without CPUs.
    write("devices/system/node/possible", "0-2");
    write("bus/pci/devices/0000:3b:00.0/numa_node", "0");
    write("bus/pci/devices/0000:5e:00.0/numa_node", "0");
    write("bus/pci/devices/0000:af:00.0/numa_node", "1");
    write("bus/pci/devices/0000:d8:00.0/numa_node", "-1");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root_ / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text << "\n";
  }
  std::filesystem::path root_;
};

TEST_F(Numa, FindsTheNodeThatAllCardsShare) {
  const NumaNodes nodes = NumaNodes::read(root_);
  EXPECT_EQ(nodes.count(), 2U);
  const NearCpus one = nodes.near({"00000000:AF:00.0"});
  EXPECT_EQ(one.cpus, "4-7,12-15");
  EXPECT_EQ(one.memory, "1");
  EXPECT_EQ(one.count, 8);
  EXPECT_EQ(nodes.near({"00000000:3B:00.0", "00000000:5E:00.0"}).cpus, "0-3,8-11");
}

TEST_F(Numa, WhatIsNotKnownBindsNobody) {
  const NumaNodes nodes = NumaNodes::read(root_);
  EXPECT_TRUE(nodes.near({}).cpus.empty());
  EXPECT_TRUE(nodes.near({"00000000:3B:00.0", "00000000:AF:00.0"}).cpus.empty());
  EXPECT_TRUE(nodes.near({"00000000:D8:00.0"}).cpus.empty());
  EXPECT_TRUE(nodes.near({"00000000:01:00.0"}).cpus.empty());
  EXPECT_TRUE(nodes.near({""}).cpus.empty());
  EXPECT_TRUE(nodes.near({"../../etc"}).cpus.empty());
  EXPECT_TRUE(NumaNodes::read(root_ / "nothing").near({"00000000:3B:00.0"}).cpus.empty());
}

TEST_F(Numa, AMachineWithOneNodeNeedsNoBinding) {
  std::filesystem::remove_all(root_ / "devices/system/node/node1");
  EXPECT_TRUE(NumaNodes::read(root_).near({"00000000:3B:00.0"}).cpus.empty());
}

TEST(CpuList, IsReadOrRefusedAsAWhole) {
  EXPECT_EQ(cpus_in("0-2,5"), (std::vector<int>{0, 1, 2, 5}));
  for (const char* wrong : {"", "a", "3-1", "1,,2", "-1", "0-99999"}) {
    EXPECT_TRUE(cpus_in(wrong).empty()) << wrong;
  }
}

}  // namespace
}  // namespace gpusched
