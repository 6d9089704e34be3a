// The backend on a simulated driver of its own, which has the same binary interface as the real
// one, with a clock that stands still unless the test moves it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "nvml/nvml_backend.h"
#include "tests/support/simulated_driver.h"

namespace gpusched::testing {

class Nvml {
 public:
  explicit Nvml(const std::string& scenario, std::vector<std::string> faults = {})
      : driver(scenario) {
    if (!faults.empty()) {
      driver.set(faults);
      patience = std::chrono::milliseconds{100};
    }
    open();
  }

  void open() {
    backend.reset();
    driver.load_nvml();
    auto probed = nvml::probe({[this] { return now; }, patience});
    EXPECT_TRUE(probed.backend) << probed.reason;
    backend = std::move(probed.backend);
    complaints.clear();
    cards = backend->cards(complaints).value_or(std::vector<watch::CardIdentity>{});
  }
  void let_pass(std::chrono::milliseconds time) { now += time; }
  watch::CardSample sample(std::size_t card = 0) {
    const auto read = backend->sample(cards.at(card));
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(watch::CardSample{});
  }
  ErrorCode failure_of(std::size_t card = 0) {
    const auto read = backend->sample(cards.at(card));
    EXPECT_FALSE(read);
    return read ? ErrorCode::kInternal : read.error().code;
  }
  std::vector<watch::ProcessSample> processes(std::size_t card = 0) {
    const auto read = backend->processes(cards.at(card));
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(std::vector<watch::ProcessSample>{});
  }

  Boot now{std::chrono::hours{1}};
  std::chrono::milliseconds patience{10'000};
  std::vector<std::string> complaints;
  SimulatedDriver driver;
  std::unique_ptr<watch::Backend> backend;
  std::vector<watch::CardIdentity> cards;
};

}  // namespace gpusched::testing
