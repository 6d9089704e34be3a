// What every watch::Backend keeps to, as tests that run on each implementation. A Harness has
//   watch::Backend& backend();                     on its fixture, with at least one card
//   void let_time_pass();                          so that differences of counters become rates
//   std::set<std::string> fields();                all that the fixture says about its first card
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "watch/backend.h"

namespace gpusched::testing {

// The names of the fields that are not absent.
inline std::set<std::string> fields_of(const watch::CardSample& s) {
  std::set<std::string> found;
  const auto note = [&](const char* name, const auto& field) {
    if (field) found.insert(name);
  };
  note("vram_bytes", s.vram_bytes);
  note("reserved_bytes", s.reserved_bytes);
  note("used_bytes", s.used_bytes);
  note("busy_percent", s.busy_percent);
  note("memory_busy_percent", s.memory_busy_percent);
  note("sm_active_percent", s.sm_active_percent);
  note("dram_active_percent", s.dram_active_percent);
  note("power_watts", s.power_watts);
  note("power_limit_watts", s.power_limit_watts);
  note("energy_joules", s.energy_joules);
  note("temperature_c", s.temperature_c);
  note("memory_temperature_c", s.memory_temperature_c);
  note("slowdown_temperature_c", s.slowdown_temperature_c);
  note("fan_percent", s.fan_percent);
  note("core_clock_mhz", s.core_clock_mhz);
  note("memory_clock_mhz", s.memory_clock_mhz);
  note("throttle", s.throttle);
  note("ecc_corrected", s.ecc_corrected);
  note("ecc_uncorrected", s.ecc_uncorrected);
  note("rows_pending", s.rows_pending);
  note("rows_failed", s.rows_failed);
  note("pcie_generation", s.pcie_generation);
  note("pcie_width", s.pcie_width);
  note("pcie_sent_mib_s", s.pcie_sent_mib_s);
  note("pcie_received_mib_s", s.pcie_received_mib_s);
  note("mig", s.mig);
  note("persistence", s.persistence);
  note("accounting", s.accounting);
  note("compute_mode", s.compute_mode);
  note("recovery", s.recovery);
  return found;
}

inline void expect_percent(const std::optional<double>& value, const char* name) {
  if (!value) return;
  EXPECT_GE(*value, 0) << name;
  EXPECT_LE(*value, 100) << name;
}

inline void expect_in_range(const watch::CardSample& s) {
  expect_percent(s.busy_percent, "busy");
  expect_percent(s.memory_busy_percent, "memory busy");
  expect_percent(s.sm_active_percent, "SM active");
  expect_percent(s.dram_active_percent, "DRAM active");
  if (s.fan_percent) expect_percent(*s.fan_percent, "fan");
  if (s.vram_bytes) {
    EXPECT_GT(*s.vram_bytes, 0U);
    EXPECT_LE(s.used_bytes.value_or(0) + s.reserved_bytes.value_or(0), *s.vram_bytes);
  }
  for (const auto& positive : {s.power_watts, s.power_limit_watts, s.energy_joules}) {
    EXPECT_GE(positive.value_or(0), 0);
  }
  for (const auto& degrees : {s.temperature_c, s.memory_temperature_c, s.slowdown_temperature_c}) {
    EXPECT_GT(degrees.value_or(20), -100);
    EXPECT_LT(degrees.value_or(20), 250);
  }
  EXPECT_GE(s.core_clock_mhz.value_or(0), 0);
  EXPECT_GE(s.memory_clock_mhz.value_or(0), 0);
}

template <class Harness>
class WatchContract : public ::testing::Test {
 protected:
  watch::Backend& backend() { return harness_.backend(); }
  std::vector<watch::CardIdentity> cards() {
    std::vector<std::string> complaints;
    auto found = backend().cards(complaints);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::vector<watch::CardIdentity>{};
  }

  Harness harness_;
};
TYPED_TEST_SUITE_P(WatchContract);

TYPED_TEST_P(WatchContract, ListsCardsInPciOrderWithUuidsOfTheirOwn) {
  const auto cards = this->cards();
  ASSERT_FALSE(cards.empty());
  std::set<std::string> uuids;
  for (const auto& card : cards) {
    EXPECT_FALSE(card.uuid.empty());
    EXPECT_FALSE(card.model.empty());
    EXPECT_TRUE(uuids.insert(card.uuid).second) << card.uuid;
  }
  EXPECT_TRUE(std::ranges::is_sorted(cards, {}, &watch::CardIdentity::pci));
  EXPECT_FALSE(this->backend().name().empty());
}

TYPED_TEST_P(WatchContract, ListsTheSameCardsEachTime) {
  const auto first = this->cards();
  const auto second = this->cards();
  EXPECT_TRUE(std::ranges::equal(first, second, {}, &watch::CardIdentity::uuid,
                                 &watch::CardIdentity::uuid));
}

TYPED_TEST_P(WatchContract, SamplesEveryListedCardWithNumbersInRange) {
  for (int round = 0; round < 3; ++round) {
    for (const auto& card : this->cards()) {
      const auto sample = this->backend().sample(card);
      ASSERT_TRUE(sample) << sample.error().message;
      expect_in_range(*sample);
    }
    this->harness_.let_time_pass();
  }
}

TYPED_TEST_P(WatchContract, SaysWhatTheFixtureSaysAndLeavesTheRestAbsent) {
  const auto cards = this->cards();
  ASSERT_FALSE(cards.empty());
  ASSERT_TRUE(this->backend().sample(cards.front()));
  this->harness_.let_time_pass();
  const auto sample = this->backend().sample(cards.front());
  ASSERT_TRUE(sample) << sample.error().message;
  EXPECT_EQ(fields_of(*sample), this->harness_.fields());
}

TYPED_TEST_P(WatchContract, ListsEachProcessOnceWithItsPid) {
  for (int round = 0; round < 2; ++round) {
    for (const auto& card : this->cards()) {
      const auto processes = this->backend().processes(card);
      ASSERT_TRUE(processes) << processes.error().message;
      std::set<int> pids;
      for (const auto& process : *processes) {
        EXPECT_GT(process.pid, 0);
        EXPECT_TRUE(pids.insert(process.pid).second) << process.pid;
        expect_percent(process.busy_percent, "process");
        expect_percent(process.memory_busy_percent, "process memory");
      }
    }
    this->harness_.let_time_pass();
  }
}

TYPED_TEST_P(WatchContract, ACardThatIsNotThereIsNotFound) {
  (void)this->cards();
  watch::CardIdentity stranger;
  stranger.uuid = "GPU-00000000-not-there";
  stranger.pci = "0000FFFF:FE:1F.7";
  const auto sample = this->backend().sample(stranger);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().code, ErrorCode::kNotFound);
  const auto processes = this->backend().processes(stranger);
  ASSERT_FALSE(processes);
  EXPECT_EQ(processes.error().code, ErrorCode::kNotFound);
}

TYPED_TEST_P(WatchContract, CardsMayBeSampledFromThreadsOfTheirOwn) {
  const auto cards = this->cards();
  std::vector<std::thread> threads;
  for (const auto& card : cards) {
    threads.emplace_back([this, &card] {
      for (int round = 0; round < 3; ++round) {
        EXPECT_TRUE(this->backend().sample(card));
        EXPECT_TRUE(this->backend().processes(card));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

REGISTER_TYPED_TEST_SUITE_P(WatchContract, ListsCardsInPciOrderWithUuidsOfTheirOwn,
                            ListsTheSameCardsEachTime, SamplesEveryListedCardWithNumbersInRange,
                            SaysWhatTheFixtureSaysAndLeavesTheRestAbsent,
                            ListsEachProcessOnceWithItsPid, ACardThatIsNotThereIsNotFound,
                            CardsMayBeSampledFromThreadsOfTheirOwn);

}  // namespace gpusched::testing
