// The contract of backends, on the fixture of each.
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/watch_contract.h"
#include "tests/support/watch_fixtures.h"
#include "watch/amdgpu.h"
#include "watch/intel.h"
#include "watch/ioreg.h"
#include "watch/nvidia_smi.h"
#include "watch/powermetrics.h"

namespace gpusched::testing {
namespace {

class OnMachine {
 public:
  watch::Backend& backend() { return *backend_; }
  void let_time_pass() { machine_.pass(std::chrono::seconds{1}); }

 protected:
  void open(watch::Probed probed) {
    EXPECT_NE(probed.backend, nullptr) << probed.reason;
    backend_ = std::move(probed.backend);
  }

  WatchMachine machine_;
  std::unique_ptr<watch::Backend> backend_;
};

struct NvidiaSmi : OnMachine {
  NvidiaSmi() {
    put_nvidia_smi(machine_);
    open(watch::probe_nvidia_smi(machine_.host()));
  }
  static std::set<std::string> fields() {
    return {"vram_bytes",    "used_bytes",   "reserved_bytes",    "busy_percent",
            "temperature_c", "power_watts",  "power_limit_watts", "fan_percent",
            "throttle",      "compute_mode", "persistence"};
  }
};

struct Amd : OnMachine {
  Amd() {
    put_amd(machine_);
    open(watch::probe_amdgpu(machine_.host()));
  }
  static std::set<std::string> fields() {
    return {"vram_bytes",      "used_bytes",      "busy_percent",
            "temperature_c",   "power_watts",     "power_limit_watts",
            "fan_percent",     "core_clock_mhz",  "memory_busy_percent",
            "ecc_corrected",   "pcie_width",      "memory_temperature_c",
            "pcie_generation", "ecc_uncorrected", "slowdown_temperature_c"};
  }
};

struct Intel : OnMachine {
  Intel() {
    put_intel(machine_);
    open(watch::probe_intel(machine_.host()));
  }
  static std::set<std::string> fields() { return {"busy_percent", "core_clock_mhz"}; }
};

struct Ioreg : OnMachine {
  Ioreg() {
    put_ioreg(machine_);
    open(watch::probe_ioreg(machine_.host()));
  }
  static std::set<std::string> fields() { return {"vram_bytes", "used_bytes", "busy_percent"}; }
};

struct Powermetrics : OnMachine {
  Powermetrics() {
    put_ioreg(machine_);
    put_powermetrics(machine_);
    watch::PowermetricsTiming timing;
    timing.first_answer = std::chrono::minutes{1};
    timing.silence = std::chrono::minutes{10};
    open(watch::probe_powermetrics(machine_.host(), timing));
  }
  static std::set<std::string> fields() {
    return {"vram_bytes",  "used_bytes",    "busy_percent",
            "power_watts", "energy_joules", "core_clock_mhz"};
  }
};

using Fixtures = ::testing::Types<NvidiaSmi, Amd, Intel, Ioreg, Powermetrics>;
INSTANTIATE_TYPED_TEST_SUITE_P(Backends, WatchContract, Fixtures);

}  // namespace
}  // namespace gpusched::testing
