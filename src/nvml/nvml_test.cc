// Cards, figures, events and trouble.
#include <gtest/gtest.h>

#include <algorithm>

#include "nvml/nvml_harness.h"
#include "nvml/sample_reader.h"
#include "os/clock.h"
#include "tests/support/watch_contract.h"

namespace gpusched::testing {
namespace {

using watch::CardIdentity;
using watch::CardSample;

constexpr std::uint64_t kMiB = 1ULL << 20;

TEST(NvmlBackend, NamesTheCards) {
  Nvml nvml("8xH200");
  EXPECT_EQ(nvml.backend->name(), "nvml");
  EXPECT_EQ(nvml.backend->driver_version(), "580.159.04");
  ASSERT_EQ(nvml.cards.size(), 8u);
  const CardIdentity& card = nvml.cards[1];
  EXPECT_EQ(card.model, "NVIDIA H200");
  EXPECT_EQ(card.vram_bytes, 143'771 * kMiB);
  EXPECT_EQ(card.reserved_bytes, 610 * kMiB);
  EXPECT_EQ(card.minor, 1);
  EXPECT_TRUE(card.uuid.starts_with("GPU-"));
  EXPECT_EQ(card.pci.find(':'), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(nvml.cards, {}, &CardIdentity::pci));
  EXPECT_TRUE(card.nvlink_neighbours.empty()) << "The other ends are switches.";
}

TEST(NvmlBackend, NamesTheNeighboursByTheirLinks) {
  Nvml nvml(
      "name: linked\ncards:\n  - {count: 2, model: NVIDIA H200, vram: 8G, "
      "nvlink: {links: 4, to: mesh}}\n");
  ASSERT_EQ(nvml.cards.size(), 2u);
  EXPECT_EQ(nvml.cards[0].nvlink_neighbours, std::vector<std::string>{nvml.cards[1].pci});
}

TEST(NvmlBackend, ReadsMemoryWithoutWhatTheDriverKeeps) {
  Nvml nvml("8xH200");
  nvml.driver.add_process({"card=0", "vram=3G"});
  const CardSample sample = nvml.sample();
  EXPECT_EQ(sample.vram_bytes, 143'771 * kMiB);
  EXPECT_EQ(sample.reserved_bytes, 610 * kMiB);
  EXPECT_EQ(sample.used_bytes, 3072 * kMiB);
}

TEST(NvmlBackend, AnOldDriverHasNoReservedMemory) {
  Nvml nvml("8xH200");
  nvml.driver.set({"missing=nvmlDeviceGetMemoryInfo_v2"});
  const CardSample sample = nvml.sample();
  EXPECT_EQ(sample.vram_bytes, 143'771 * kMiB);
  EXPECT_FALSE(sample.reserved_bytes);
  EXPECT_EQ(sample.used_bytes, 610 * kMiB) << "It cannot be told apart.";
  nvml.driver.set({"clear=faults"});
  EXPECT_FALSE(nvml.sample().reserved_bytes) << "What is missing is not asked for again.";
}

TEST(NvmlBackend, AConsumerCardLacksWhatItLacks) {
  Nvml nvml("8xRTX4090");
  nvml.sample();
  nvml.let_pass(std::chrono::seconds{1});
  const CardSample sample = nvml.sample();
  EXPECT_FALSE(sample.ecc_corrected);
  EXPECT_FALSE(sample.sm_active_percent);
  EXPECT_FALSE(sample.rows_pending);
  EXPECT_FALSE(sample.mig);
  EXPECT_TRUE(sample.fan_percent);
  EXPECT_TRUE(sample.power_watts);
  const auto processes = nvml.processes();
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].kind, watch::ProcessKind::kGraphics);
  EXPECT_EQ(processes[0].vram_bytes, 212 * kMiB);
}

TEST(NvmlBackend, MeasuresMultiprocessorsBetweenTwoReadings) {
  Nvml nvml("8xH200");
  nvml.driver.set({"card=0", "util=40"});
  EXPECT_FALSE(nvml.sample().sm_active_percent);
  nvml.let_pass(std::chrono::milliseconds{5});
  EXPECT_FALSE(nvml.sample().sm_active_percent) << "Too near to the one before.";
  nvml.let_pass(std::chrono::seconds{1});
  const CardSample sample = nvml.sample();
  EXPECT_EQ(sample.sm_active_percent, 40);
  EXPECT_TRUE(sample.dram_active_percent);
  EXPECT_EQ(sample.busy_percent, 40);
  nvml.let_pass(std::chrono::milliseconds{5});
  EXPECT_EQ(nvml.sample().sm_active_percent, 40) << "The last figure stands.";
}

TEST(NvmlBackend, ReadsSlowFiguresLessOften) {
  Nvml nvml("8xH200");
  nvml.driver.set({"card=0", "temperature=50"});
  EXPECT_EQ(nvml.sample().temperature_c, 50);
  nvml.driver.set({"card=0", "temperature=70", "ecc_corrected=9"});
  nvml.let_pass(std::chrono::seconds{1});
  EXPECT_EQ(nvml.sample().temperature_c, 50);
  nvml.let_pass(std::chrono::seconds{5});
  EXPECT_EQ(nvml.sample().temperature_c, 70);
  EXPECT_EQ(nvml.sample().ecc_corrected, 0u);
  nvml.let_pass(std::chrono::seconds{60});
  EXPECT_EQ(nvml.sample().ecc_corrected, 9u);
}

TEST(NvmlBackend, AnEventMakesTheNextReadingWhole) {
  Nvml nvml("8xH200");
  ASSERT_TRUE(nvml.backend->has_events());
  nvml.sample(2);
  nvml.driver.set({"card=2", "ecc_uncorrected=3", "rows_pending=on", "recovery=4", "xid=48"});
  std::vector<watch::CardEvent> seen;
  for (int round = 0; round < 10 && (seen.empty() || seen.back().number != 48); ++round) {
    const auto events = nvml.backend->events(std::chrono::milliseconds{100});
    ASSERT_TRUE(events) << events.error().message;
    seen.insert(seen.end(), events->begin(), events->end());
  }
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().kind, watch::CardEvent::Kind::kXid);
  EXPECT_EQ(seen.back().number, 48u);
  EXPECT_EQ(seen.back().uuid, nvml.cards[2].uuid);
  const CardSample sample = nvml.sample(2);
  EXPECT_EQ(sample.ecc_uncorrected, 3u);
  EXPECT_EQ(sample.rows_pending, true);
  EXPECT_EQ(sample.recovery, watch::Recovery::kDrainAndReset);
}

TEST(NvmlBackend, WithoutNewsThereAreNoEvents) {
  Nvml nvml("2x24G");
  const auto events = nvml.backend->events(std::chrono::milliseconds{1});
  ASSERT_TRUE(events);
  EXPECT_TRUE(events->empty());
}

TEST(NvmlBackend, ReadsModes) {
  Nvml nvml("8xH200");
  nvml.driver.set({"card=0", "mig=on", "persistence=off", "compute_mode=exclusive", "accounting=on",
                   "clock_reasons=0x84"});
  const CardSample sample = nvml.sample();
  EXPECT_EQ(sample.mig, true);
  EXPECT_EQ(sample.persistence, false);
  EXPECT_EQ(sample.accounting, true);
  EXPECT_EQ(sample.compute_mode, watch::ComputeMode::kExclusiveProcess);
  EXPECT_EQ(*sample.throttle & (watch::kThrottlePower | watch::kThrottlePowerBrake),
            watch::kThrottlePower | watch::kThrottlePowerBrake);
}

TEST(NvmlBackend, ALostCardIsGoneAndTheOthersAreNot) {
  Nvml nvml("8xH200");
  nvml.driver.set({"card=1", "lost=on"});
  EXPECT_EQ(nvml.failure_of(1), ErrorCode::kNotFound);
  const auto processes = nvml.backend->processes(nvml.cards[1]);
  ASSERT_FALSE(processes);
  EXPECT_EQ(processes.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(nvml.sample(0).vram_bytes);
}

TEST(NvmlBackend, ACardThatHangsFromTheStartIsListedByWhatItSaid) {
  Nvml nvml("8xH200", {"card=2", "hang=nvmlDeviceGetMemoryInfo_v2"});
  ASSERT_EQ(nvml.cards.size(), 8u);
  EXPECT_FALSE(nvml.cards[2].uuid.empty());
  EXPECT_FALSE(nvml.cards[2].vram_bytes);
  ASSERT_EQ(nvml.complaints.size(), 1u);
  EXPECT_EQ(nvml.complaints[0], "card 2: has not answered for 100 ms");
  EXPECT_TRUE(nvml.sample(3).vram_bytes);
  nvml.driver.set({"card=2", "clear=faults"});
  EXPECT_TRUE(nvml.sample(2).vram_bytes);
}

TEST(NvmlBackend, ACardThatDoesNotSayWhoItIsKeepsItsPlaceAndIsListedWhenItDoes) {
  Nvml nvml("8xH200", {"card=2", "hang=all"});
  ASSERT_EQ(nvml.cards.size(), 8u);
  EXPECT_TRUE(nvml.cards[2].uuid.empty());
  EXPECT_EQ(nvml.cards[3].minor, 3);
  EXPECT_TRUE(std::ranges::is_sorted(nvml.cards, {}, &CardIdentity::pci));
  EXPECT_TRUE(nvml.sample(3).vram_bytes);
  EXPECT_TRUE(nvml.backend->has_events());
  nvml.driver.set({"card=2", "clear=faults"});
  const Boot deadline = read_clock().boot + std::chrono::seconds{20};
  Result<CardSample> sample = nvml.backend->sample(nvml.cards[3]);
  while (sample && read_clock().boot < deadline) sample = nvml.backend->sample(nvml.cards[3]);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().code, ErrorCode::kConflict) << "Which makes the sampler start anew.";
  nvml.open();
  EXPECT_FALSE(nvml.cards[2].uuid.empty());
}

TEST(NvmlBackend, TellsWhatTroubleMeans) {
  Nvml nvml("2x24G");
  nvml.driver.set({"card=0", "return=nvmlDeviceGetMemoryInfo_v2:16"});
  EXPECT_EQ(nvml.failure_of(0), ErrorCode::kUnavailable);
  const auto read = nvml.backend->sample(nvml.cards[0]);
  EXPECT_NE(read.error().message.find("reset"), std::string::npos) << read.error().message;
  nvml.driver.set({"card=0", "clear=faults"});
  EXPECT_TRUE(nvml.sample(0).vram_bytes);
  nvml.driver.set({"driver=590.1"});
  EXPECT_EQ(nvml.failure_of(0), ErrorCode::kConflict);
  EXPECT_FALSE(nvml.backend->events(std::chrono::milliseconds{1}));
  nvml.open();
  EXPECT_TRUE(nvml.sample(0).vram_bytes) << "A new start sees the new driver.";
  EXPECT_EQ(nvml.backend->driver_version(), "590.1");
}

TEST(NvmlBackend, AnAnswerThatMeansNothingMakesOnlyThatFigureAbsent) {
  Nvml nvml("8xH200");
  nvml.driver.set({"card=0", "return=nvmlDeviceGetPowerUsage:999"});
  EXPECT_FALSE(nvml.sample().power_watts);
  EXPECT_TRUE(nvml.sample().temperature_c);
  nvml.driver.set({"card=0", "clear=faults"});
  nvml.let_pass(std::chrono::seconds{6});
  EXPECT_TRUE(nvml.sample().power_watts) << "It is asked again.";
}

TEST(NvmlBackend, SaysWhyThereIsNone) {
  SimulatedDriver driver("2x24G");
  driver.load_nvml();
  ::setenv("GPUSCHED_SIM_WORLD", "/nowhere", 1);
  const auto none = nvml::probe();
  EXPECT_FALSE(none.backend);
  EXPECT_TRUE(none.absent);
  ::setenv("GPUSCHED_SIM_WORLD", driver.path().c_str(), 1);
  driver.set({"return=nvmlInit_v2:18"});
  const auto mismatch = nvml::probe();
  EXPECT_FALSE(mismatch.backend);
  EXPECT_FALSE(mismatch.absent);
  EXPECT_NE(mismatch.reason.find("updated"), std::string::npos) << mismatch.reason;
}

TEST(NvmlForms, HardwareSlowdownIsNamedByItsCauseIfThereIsOne) {
  using namespace nvml;
  EXPECT_EQ(throttle_of(0), 0u);
  EXPECT_EQ(throttle_of(kReasonHardware), watch::kThrottleHardware);
  EXPECT_EQ(throttle_of(kReasonHardware | kReasonHardThermal), watch::kThrottleHardThermal);
  EXPECT_EQ(throttle_of(kReasonDisplay | kReasonSyncBoost), watch::kThrottleSetting);
}

// The contract of every backend.
struct H200Harness {
  Nvml nvml{"8xH200"};
  H200Harness() { nvml.driver.add_process({"card=0", "vram=1G", "util=10"}); }
  watch::Backend& backend() { return *nvml.backend; }
  void let_time_pass() { nvml.let_pass(std::chrono::seconds{1}); }
  std::set<std::string> fields() {
    return {"vram_bytes",
            "reserved_bytes",
            "used_bytes",
            "busy_percent",
            "memory_busy_percent",
            "sm_active_percent",
            "dram_active_percent",
            "power_watts",
            "power_limit_watts",
            "energy_joules",
            "temperature_c",
            "memory_temperature_c",
            "slowdown_temperature_c",
            "core_clock_mhz",
            "memory_clock_mhz",
            "throttle",
            "ecc_corrected",
            "ecc_uncorrected",
            "rows_pending",
            "rows_failed",
            "pcie_generation",
            "pcie_width",
            "mig",
            "persistence",
            "accounting",
            "compute_mode",
            "recovery"};
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Nvml, WatchContract, H200Harness);

}  // namespace
}  // namespace gpusched::testing
