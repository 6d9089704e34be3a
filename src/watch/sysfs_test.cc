// The backends of AMD and Intel, on a constructed tree.
#include <gtest/gtest.h>

#include "tests/support/watch_contract.h"
#include "tests/support/watch_fixtures.h"
#include "watch/amdgpu.h"
#include "watch/intel.h"

namespace gpusched::watch {
namespace {

using namespace std::chrono_literals;

class OnTree : public ::testing::Test {
 protected:
  void open(Probed probed) {
    ASSERT_NE(probed.backend, nullptr) << probed.reason;
    backend_ = std::move(probed.backend);
    list();
  }
  void list() {
    std::vector<std::string> complaints;
    cards_ = *backend_->cards(complaints);
  }
  std::vector<ProcessSample> processes(std::size_t card) {
    const auto found = backend_->processes(cards_[card]);
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }

  testing::WatchMachine machine_;
  std::unique_ptr<Backend> backend_;
  std::vector<CardIdentity> cards_;
};

class AmdTest : public OnTree {
 protected:
  AmdTest() { testing::put_amd(machine_); }
  void SetUp() override { open(probe_amdgpu(machine_.host())); }
};

TEST_F(AmdTest, ListsCardsByTheirUniqueIdOrAddress) {
  ASSERT_EQ(cards_.size(), 2U);
  EXPECT_EQ(cards_[0].uuid, "amd-5c88fa39ab41d7c2");
  EXPECT_EQ(cards_[0].pci, "00000000:03:00.0");
  EXPECT_EQ(cards_[0].model, "AMD Radeon RX 7900 XT/7900 XTX");
  EXPECT_EQ(cards_[0].minor, 1);
  EXPECT_EQ(cards_[0].integrated, false);
  EXPECT_EQ(cards_[0].vram_bytes, 25753026560U);
  EXPECT_EQ(cards_[1].uuid, "amd-00000000:43:00.0");
  EXPECT_EQ(cards_[1].model, "AMD GPU 1002:740F");
  EXPECT_FALSE(cards_[1].vram_bytes);
}

TEST_F(AmdTest, ReadsTheSensors) {
  const auto sample = backend_->sample(cards_[0]);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->used_bytes, 9663676416U);
  EXPECT_EQ(sample->busy_percent, 73);
  EXPECT_EQ(sample->power_watts, 212);
  EXPECT_EQ(sample->power_limit_watts, 339);
  EXPECT_EQ(sample->temperature_c, 58);
  EXPECT_EQ(sample->slowdown_temperature_c, 100);
  EXPECT_EQ(sample->memory_temperature_c, 66);
  EXPECT_EQ(sample->fan_percent, 50);
  EXPECT_EQ(sample->core_clock_mhz, 2482);
  EXPECT_EQ(sample->ecc_corrected, 3U);
  EXPECT_EQ(sample->pcie_generation, 4);
}

TEST_F(AmdTest, ProcessesComeFromBothBooks) {
  const auto found = processes(0);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].pid, 800);
  EXPECT_EQ(found[0].vram_bytes, 2068U * 1024);  // Two descriptors, one client.
  EXPECT_EQ(found[0].name, "worker");
  EXPECT_FALSE(found[0].busy_percent);
  EXPECT_EQ(found[1].pid, 4711);
  EXPECT_EQ(found[1].vram_bytes, 8589934592U);
  EXPECT_EQ(found[1].busy_percent, 50);
  EXPECT_EQ(found[1].kind, ProcessKind::kCompute);
  EXPECT_TRUE(processes(1).empty());
}

TEST_F(AmdTest, TheDifferenceOfTwoLooksIsHowBusyAProcessIs) {
  processes(0);
  machine_.pass(2s);
  testing::put_client(machine_, 800, 12, testing::amd_client("0000:03:00.0", 7, 0, 1'500'000'000));
  testing::put_client(machine_, 800, 13, testing::amd_client("0000:03:00.0", 7, 0, 1'500'000'000));
  EXPECT_EQ(processes(0)[0].busy_percent, 25);
  // A moment later the same look serves again.
  EXPECT_EQ(processes(0)[0].busy_percent, 25);
  machine_.pass(1s);
  EXPECT_EQ(processes(0)[0].busy_percent, 0);
}

TEST_F(AmdTest, AClientInTwoProcessesCountsOnce) {
  testing::put_client(machine_, 900, 3, testing::amd_client("0000:03:00.0", 7, 2068, 0));
  testing::put_client(machine_, 901, 3, testing::amd_client("0000:03:00.0", 8, 10, 0));
  const auto found = processes(0);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].pid, 800);
  EXPECT_EQ(found[1].pid, 901);
}

TEST_F(AmdTest, AComputingProcessWithoutAMeasureIsNotCalledIdle) {
  machine_.remove("sys/class/kfd/kfd/proc/4711/stats_51234");
  testing::put_client(machine_, 4711, 3, testing::amd_client("0000:03:00.0", 9, 10, 0));
  processes(0);
  machine_.pass(1s);
  const auto found = processes(0);
  EXPECT_EQ(found[0].busy_percent, 0);
  EXPECT_EQ(found[1].pid, 4711);
  EXPECT_FALSE(found[1].busy_percent);
}

TEST_F(AmdTest, AnIntegratedCardHasTheHostsMemoryToo) {
  machine_.file("sys/class/kfd/kfd/topology/nodes/1/properties",
                "cpu_cores_count 32\nsimd_count 80\nsimd_per_cu 2\nlocation_id 768\ndomain 0\n");
  machine_.file("sys/class/drm/card1/device/mem_info_gtt_total", "1000\n");
  machine_.file("sys/class/drm/card1/device/mem_info_gtt_used", "10\n");
  list();
  EXPECT_EQ(cards_[0].integrated, true);
  EXPECT_EQ(cards_[0].vram_bytes, 25753027560U);
  EXPECT_EQ(backend_->sample(cards_[0])->used_bytes, 9663676426U);
  EXPECT_EQ(processes(0)[0].vram_bytes, (2068U + 2048U) * 1024);
}

TEST_F(AmdTest, ASleepingCardIsNotTouched) {
  machine_.file("sys/bus/pci/devices/0000:03:00.0/power/runtime_status", "suspended\n");
  const auto sample = backend_->sample(cards_[0]);
  ASSERT_TRUE(sample);
  EXPECT_TRUE(testing::fields_of(*sample).empty());
  EXPECT_TRUE(processes(0).empty());
  list();
  EXPECT_EQ(cards_[0].uuid, "amd-5c88fa39ab41d7c2");
  EXPECT_EQ(cards_[0].vram_bytes, 25753026560U);  // As it was seen last.
}

TEST_F(AmdTest, ACardThatFallsOffTheBusIsNotFound) {
  const CardIdentity gone = cards_[0];
  machine_.remove("sys/class/drm/card1");
  const auto sample = backend_->sample(gone);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().code, ErrorCode::kNotFound);
  list();
  EXPECT_EQ(cards_.size(), 1U);
}

class IntelTest : public OnTree {
 protected:
  IntelTest() { testing::put_intel(machine_); }
  void SetUp() override { open(probe_intel(machine_.host())); }
};

TEST_F(IntelTest, ListsBothDrivers) {
  ASSERT_EQ(cards_.size(), 2U);
  EXPECT_EQ(cards_[0].integrated, true);
  EXPECT_FALSE(cards_[0].vram_bytes);
  EXPECT_EQ(cards_[1].uuid, "intel-00000000:04:00.0");
  EXPECT_EQ(cards_[1].integrated, false);
  EXPECT_EQ(cards_[1].vram_bytes, 17079205888U);
}

TEST_F(IntelTest, LoadAndPowerAreDifferences) {
  const auto first = backend_->sample(cards_[1]);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->busy_percent);
  EXPECT_FALSE(first->power_watts);
  EXPECT_EQ(first->energy_joules, 500);
  EXPECT_EQ(first->temperature_c, 54);
  EXPECT_EQ(first->power_limit_watts, 225);
  machine_.pass(2s);
  machine_.file("sys/class/drm/card1/device/tile0/gt0/gtidle/idle_residency_ms", "1500\n");
  machine_.file("sys/class/drm/card1/device/hwmon/hwmon2/energy1_input", "700000000\n");
  const auto second = backend_->sample(cards_[1]);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->busy_percent, 75);
  EXPECT_EQ(second->power_watts, 100);
  EXPECT_EQ(backend_->sample(cards_[1])->busy_percent, 75);
}

TEST_F(IntelTest, ProcessesOfXeAreCountedInCycles) {
  testing::put_client(machine_, 50, 3, testing::xe_client(1000, 5000));
  ASSERT_EQ(processes(1).size(), 1U);
  machine_.pass(1s);
  testing::put_client(machine_, 50, 3, testing::xe_client(1300, 6000));
  const auto found = processes(1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].busy_percent, 30);
  EXPECT_EQ(found[0].vram_bytes, 32768U * 1024);
  EXPECT_EQ(found[0].kind, ProcessKind::kCompute);
}

TEST_F(IntelTest, ASleepingCardIsNotTouched) {
  machine_.file("sys/bus/pci/devices/0000:04:00.0/power/runtime_status", "suspended\n");
  EXPECT_TRUE(testing::fields_of(*backend_->sample(cards_[1])).empty());
}

TEST_F(IntelTest, ClientsOfASleepingCardAreNotRead) {
  testing::put_client(machine_, 50, 3, testing::xe_client(1000, 5000));
  machine_.file("sys/class/drm/renderD128/device/uevent", "PCI_SLOT_NAME=0000:04:00.0\n");
  machine_.file("sys/bus/pci/devices/0000:04:00.0/power/runtime_status", "suspended\n");
  processes(0);
  // Awake a moment later it still has the clients of the last look: none.
  machine_.file("sys/bus/pci/devices/0000:04:00.0/power/runtime_status", "active\n");
  EXPECT_TRUE(processes(1).empty());
  machine_.pass(1s);
  EXPECT_EQ(processes(1).size(), 1U);
}

TEST(Sysfs, WithoutCardsNothingIsWrong) {
  const testing::WatchMachine machine;
  EXPECT_TRUE(probe_amdgpu(machine.host()).absent);
  EXPECT_TRUE(probe_intel(machine.host()).absent);
}

}  // namespace
}  // namespace gpusched::watch
