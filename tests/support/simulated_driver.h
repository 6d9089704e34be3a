// A simulated driver of a test's own: a world in a temporary directory, and the library that shows
// it to this process (load_nvml) or to programs that it starts (environment).
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "os/clock.h"
#include "simdriver/card_use.h"
#include "simdriver/simworld/settings.h"
#include "simdriver/world_changes.h"
#include "simdriver/world_create.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {

class SimulatedDriver {
 public:
  // A name among the installed scenarios, words such as "2x24G", or the text of a scenario.
  explicit SimulatedDriver(const std::string& scenario)
      : world_(simdriver::create_world(path(), read(scenario)).value()) {}

  std::string path() const { return directory_ / "world"; }
  const simdriver::World& world() const { return world_; }

  // As `gpusched-simworld set`: set({"card=0", "hang=all"}).
  void set(const std::vector<std::string>& words) {
    const auto applied = simdriver::apply_settings(world_, words);
    EXPECT_TRUE(applied) << applied.error().message;
  }
  // As `gpusched-simworld add-process`; the pid.
  int add_process(const std::vector<std::string>& words) {
    const auto process = simdriver::parse_process(words);
    EXPECT_TRUE(process) << process.error().message;
    const simdriver::ChangeLock lock(world_);
    return simdriver::add_foreign(world_, *process).value_or(0);
  }
  void remove_process(int pid) {
    const simdriver::ChangeLock lock(world_);
    EXPECT_TRUE(simdriver::remove_foreign(world_, pid));
  }

  // What real processes hold on a card, and whether one of them keeps it busy.
  std::uint64_t held_on(std::size_t card) const {
    std::uint64_t bytes = 0;
    for (const simdriver::ProcessUse& process : simdriver::look_at_card(world_, card).processes) {
      if (!process.in_world_only) bytes += process.vram_bytes;
    }
    return bytes;
  }
  bool is_busy(std::size_t card) const {
    return simdriver::look_at_card(world_, card).demand_permille > 0;
  }

  // For programs: "NAME=VALUE" each.
  std::vector<std::string> environment() const {
    return {"GPUSCHED_SIM_WORLD=" + path(), "LD_LIBRARY_PATH=" SIMULATED_DRIVER_DIRECTORY};
  }
  // From now on dlopen("libnvidia-ml.so.1") in this process finds the simulated one.
  void load_nvml() const {
    ::setenv("GPUSCHED_SIM_WORLD", path().c_str(), 1);
    // Never closed: found by its name from then on.
    static void* const library =
        ::dlopen(SIMULATED_DRIVER_DIRECTORY "/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    wait_until_unused(library);
  }

 private:
  // A thread that was stuck in a test before may still have the world of that test open.
  static void wait_until_unused(void* library) {
    constexpr int kUninitialised = 1;
    const auto count =
        reinterpret_cast<int (*)(unsigned*)>(::dlsym(library, "nvmlDeviceGetCount_v2"));
    unsigned ignored = 0;
    const Boot deadline = read_clock().boot + std::chrono::seconds{20};
    while (count(&ignored) != kUninitialised && read_clock().boot < deadline) {
    }
  }
  static simdriver::Scenario read(const std::string& text) {
    const auto scenario = text.find('\n') != std::string::npos
                              ? simdriver::read_scenario(text, "scenario")
                              : simdriver::find_scenario(text, SIMULATED_SCENARIO_DIRECTORY);
    EXPECT_TRUE(scenario) << scenario.error().message;
    return scenario.value();
  }

  TemporaryDirectory directory_;
  simdriver::World world_;
};

}  // namespace gpusched::testing
