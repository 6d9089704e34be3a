// The readers of the kernel's texts: numbers, addresses, fdinfo, names, properties.
#include <gtest/gtest.h>

#include "tests/support/watch_fixtures.h"
#include "watch/drm_cards.h"
#include "watch/fdinfo.h"
#include "watch/hwmon.h"
#include "watch/kfd.h"
#include "watch/numbers.h"
#include "watch/nvidia_proc.h"
#include "watch/pci.h"

namespace gpusched::watch {
namespace {

TEST(Numbers, AreWholeOrUnknown) {
  EXPECT_EQ(whole_number(" 42\n"), 42U);
  EXPECT_EQ(hex_number("0x1F"), 31U);
  for (const char* text : {"", " ", "4 2", "-1", "1.0", "x", "99999999999999999999"}) {
    EXPECT_FALSE(whole_number(text)) << text;
  }
  EXPECT_EQ(decimal_number("310.55"), 310.55);
  EXPECT_EQ(decimal_number("-2.5e-1"), -0.25);
  EXPECT_EQ(decimal_number(".5"), 0.5);
  for (const char* text : {"", ".", "1,5", "e5", "1e", "1e999", "nan", "inf", "0x10", "1 2"}) {
    EXPECT_FALSE(decimal_number(text)) << text;
  }
  EXPECT_FALSE(percentage("101"));
  EXPECT_FALSE(percentage("-1"));
  EXPECT_FALSE(scaled(std::uint64_t{1} << 60U, 1024));
}

TEST(Pci, HasOneForm) {
  EXPECT_EQ(normal_pci("0000:3b:00.0"), "00000000:3B:00.0");
  EXPECT_EQ(normal_pci("00000000:3B:00.0\n"), "00000000:3B:00.0");
  EXPECT_EQ(normal_pci("3b:00.0"), "00000000:3B:00.0");
  for (const char* text : {"", "x", "0000:3b:00", "0000:3b:00.00", "1:2:3:4.5", "0000:3b:0g.0"}) {
    EXPECT_EQ(normal_pci(text), "") << text;
  }
}

TEST(Pci, KnowsWhoSleeps) {
  const testing::WatchMachine machine;
  const Tree tree(machine.host().root);
  EXPECT_FALSE(is_suspended(tree, "00000000:3B:00.0"));
  EXPECT_FALSE(is_suspended(tree, ""));
  machine.file("sys/bus/pci/devices/0000:3b:00.0/power/runtime_status", "suspended\n");
  EXPECT_TRUE(is_suspended(tree, "00000000:3B:00.0"));
  machine.file("sys/bus/pci/devices/0000:3b:00.0/power/runtime_status", "active\n");
  EXPECT_FALSE(is_suspended(tree, "00000000:3B:00.0"));
}

TEST(Fdinfo, ReadsAmd) {
  const auto client = parse_fdinfo(testing::amd_client("0000:03:00.0", 217, 2068, 107322799));
  ASSERT_TRUE(client);
  EXPECT_EQ(client->driver, "amdgpu");
  EXPECT_EQ(client->pci, "00000000:03:00.0");
  EXPECT_EQ(client->id, 217U);
  EXPECT_EQ(client->vram_bytes, 2068U * 1024);
  EXPECT_EQ(client->shared_bytes, 2048U * 1024);
  EXPECT_EQ(client->engines.at("compute").busy_ns, 107322799U);
}

TEST(Fdinfo, ReadsXeAndPrefersWhatIsResident) {
  const auto client = parse_fdinfo(testing::xe_client(5, 10));
  ASSERT_TRUE(client);
  EXPECT_EQ(client->vram_bytes, 32768U * 1024);
  EXPECT_EQ(client->engines.at("ccs").cycles, 5U);
  EXPECT_EQ(client->engines.at("ccs").total_cycles, 10U);
}

TEST(Fdinfo, ReadsUnitsRegionsAndCapacities) {
  const auto client = parse_fdinfo(
      "drm-driver: i915\ndrm-client-id: 1\ndrm-total-local0: 2 MiB\ndrm-total-local1: 3\n"
      "drm-total-stolen-system0: 9 MiB\ndrm-engine-render: 8 ns\ndrm-engine-capacity-video: 2\n"
      "drm-total-system0: 1 parsec\n");
  ASSERT_TRUE(client);
  EXPECT_EQ(client->vram_bytes, 2U * 1024 * 1024 + 3);
  EXPECT_FALSE(client->shared_bytes);
  EXPECT_EQ(client->engines.at("video").capacity, 2U);
}

TEST(Fdinfo, OtherFilesAreNoClients) {
  EXPECT_FALSE(parse_fdinfo("pos:\t0\nflags:\t02\nmnt_id:\t15\n"));
  EXPECT_FALSE(parse_fdinfo("drm-driver:\tamdgpu\n"));
  EXPECT_FALSE(parse_fdinfo(""));
}

TEST(NvidiaProc, QuestionMarksAreNoUuid) {
  const CardIdentity card = parse_nvidia_information(
      "Model: NVIDIA X\nGPU UUID: GPU-?\n"
      "Bus Location: 0000:01:00.0\nDevice Minor: none\n");
  EXPECT_EQ(card.uuid, "");
  EXPECT_EQ(card.pci, "00000000:01:00.0");
  EXPECT_FALSE(card.minor);
}

TEST(DrmCards, FindsNamesInTheDatabase) {
  const char* database =
      "# c\n1001  One\n\t744c  Wrong\n1002  AMD\n\t744c  Navi 31 [Radeon RX 7900 XTX]\n"
      "\t\t1002 744d  Sub\n\t740f  Plain\nC 03  Display\n";
  EXPECT_EQ(pci_name(database, "1002:744C"), "Radeon RX 7900 XTX");
  EXPECT_EQ(pci_name(database, "1002:740f"), "Plain");
  EXPECT_FALSE(pci_name(database, "1002:744D"));
  EXPECT_FALSE(pci_name(database, "9999:744C"));
  EXPECT_FALSE(pci_name(database, ""));
}

TEST(DrmCards, ReadsLinkSpeeds) {
  EXPECT_EQ(pcie_generation("16.0 GT/s PCIe"), 4);
  EXPECT_EQ(pcie_generation("2.5 GT/s PCIe"), 1);
  EXPECT_FALSE(pcie_generation("Unknown"));
  EXPECT_FALSE(pcie_generation(""));
}

TEST(Kfd, ReadsPropertiesOfANode) {
  const KfdNode node = parse_kfd_properties(
      "cpu_cores_count 0\nsimd_count 416\nsimd_per_cu 4\nlocation_id 50176\ndomain 1\n");
  EXPECT_EQ(node.pci, "00000001:C4:00.0");
  EXPECT_EQ(node.compute_units, 104U);
  EXPECT_FALSE(node.has_cpus);
  EXPECT_EQ(parse_kfd_properties("cpu_cores_count 8\nsimd_count 0\nlocation_id 0\n").pci, "");
}

TEST(Hwmon, NonsenseIsAbsent) {
  const testing::WatchMachine machine;
  const Tree tree(machine.host().root);
  machine.file("d/hwmon/hwmon0/temp1_label", "edge\n");
  machine.file("d/hwmon/hwmon0/temp1_input", "511000\n");
  machine.file("d/hwmon/hwmon0/power1_input", "-1\n");
  machine.file("d/hwmon/hwmon0/power1_cap", "0\n");
  machine.file("d/hwmon/hwmon0/pwm1", "300\n");
  const Hwmon hwmon(tree, "d");
  EXPECT_FALSE(hwmon.temperature({"edge"}));
  EXPECT_FALSE(hwmon.power_watts());
  EXPECT_FALSE(hwmon.power_limit_watts());
  EXPECT_FALSE(hwmon.fan_percent());
  EXPECT_FALSE(Hwmon(tree, "nowhere").power_watts());
}

}  // namespace
}  // namespace gpusched::watch
