#include "nvml/sample_reader.h"

#include <array>

namespace gpusched::nvml {
namespace {

using watch::ComputeMode;
using watch::Recovery;

constexpr auto kSecondsPeriod = std::chrono::seconds{5};
constexpr auto kMinutePeriod = std::chrono::seconds{60};

std::optional<u64> whole_of(const FieldValue& field) {
  if (field.code != kSuccess) return std::nullopt;
  switch (field.type) {
    case 0:
      return static_cast<u64>(field.value.real);
    case 1:
      return field.value.whole32;
    case 2:
    case 3:
      return field.value.whole64;
    case 4:
      return static_cast<u64>(field.value.negative64);
    case 5:
      return static_cast<u64>(field.value.negative32);
    default:
      return std::nullopt;
  }
}

std::optional<Recovery> recovery_of(u64 action) {
  constexpr std::array kActions = {Recovery::kNone, Recovery::kReset, Recovery::kReboot,
                                   Recovery::kDrainPeers, Recovery::kDrainAndReset};
  if (action >= kActions.size()) return std::nullopt;
  return kActions[action];
}

std::optional<ComputeMode> compute_mode_of(u32 mode) {
  switch (mode) {
    case 0:
      return ComputeMode::kDefault;
    case 2:
      return ComputeMode::kProhibited;
    case 1:
    case 3:
      return ComputeMode::kExclusiveProcess;
    default:
      return std::nullopt;
  }
}

}  // namespace

u32 throttle_of(u64 reasons) {
  u32 throttle = 0;
  if ((reasons & kReasonIdle) != 0) throttle |= watch::kThrottleIdle;
  if ((reasons & (kReasonApplication | kReasonSyncBoost | kReasonDisplay)) != 0) {
    throttle |= watch::kThrottleSetting;
  }
  if ((reasons & kReasonPowerCap) != 0) throttle |= watch::kThrottlePower;
  if ((reasons & kReasonSoftThermal) != 0) throttle |= watch::kThrottleSoftThermal;
  if ((reasons & kReasonHardThermal) != 0) throttle |= watch::kThrottleHardThermal;
  if ((reasons & kReasonPowerBrake) != 0) throttle |= watch::kThrottlePowerBrake;
  // The hardware's bit comes together with its cause where that is known.
  const u64 nearer = kReasonHardThermal | kReasonPowerBrake;
  if ((reasons & kReasonHardware) != 0 && (reasons & nearer) == 0) {
    throttle |= watch::kThrottleHardware;
  }
  return throttle;
}

Result<watch::CardSample> SampleReader::read(Boot now) {
  asking_.begin_round();
  if (changed_.exchange(false)) {
    seconds_due_.reset();
    minute_due_.reset();
  }
  read_memory();
  read_use(now);
  const bool few_seconds = !seconds_due_ || now >= *seconds_due_;
  if (few_seconds) read_each_few_seconds();
  if (few_seconds && !asking_.trouble()) seconds_due_ = now + kSecondsPeriod;
  if (!minute_due_ || now >= *minute_due_) {
    read_each_minute();
    if (!asking_.trouble()) minute_due_ = now + kMinutePeriod;
  }
  if (const auto code = asking_.trouble()) {
    // What is read next may be another card's truth: after a reset nothing of this holds.
    expect_change();
    return failure(library_->error_of("read the card", *code));
  }
  return kept_;
}

void SampleReader::read_memory() {
  kept_.vram_bytes = kept_.reserved_bytes = kept_.used_bytes = std::nullopt;
  Memory2 memory{};
  if (asking_.ask(Question::kMemory2, calls_.memory2, &memory)) {
    kept_.vram_bytes = memory.total;
    kept_.reserved_bytes = memory.reserved;
    kept_.used_bytes = memory.used;
    return;
  }
  Memory1 plain{};
  if (asking_.ask(Question::kMemory1, calls_.memory1, &plain)) {
    kept_.vram_bytes = plain.total;
    // Reserved memory is in it and cannot be told apart: rather too much than too little.
    kept_.used_bytes = plain.used;
  }
}

void SampleReader::read_use(Boot now) {
  kept_.busy_percent = kept_.memory_busy_percent = std::nullopt;
  Utilization use{};
  if (asking_.ask(Question::kUtilization, calls_.utilization, &use)) {
    if (use.gpu <= 100) kept_.busy_percent = use.gpu;
    if (use.memory <= 100) kept_.memory_busy_percent = use.memory;
  }
  const GpmFigures& figures = gpm_.read(asking_, now);
  kept_.sm_active_percent = figures.sm_active_percent;
  kept_.dram_active_percent = figures.dram_active_percent;
  if (figures.pcie_sent_mib_s) kept_.pcie_sent_mib_s = figures.pcie_sent_mib_s;
  if (figures.pcie_received_mib_s) kept_.pcie_received_mib_s = figures.pcie_received_mib_s;
  // A counter of which differences count: an attempt's energy is only as exact as this is fresh.
  u64 millijoules = 0;
  const bool energy = asking_.ask(Question::kEnergy, calls_.energy, &millijoules);
  kept_.energy_joules =
      energy ? std::optional(static_cast<double>(millijoules) / 1000) : std::nullopt;
}

void SampleReader::read_each_few_seconds() {
  u32 value = 0;
  const auto number = [&](bool answered) {
    return answered ? std::optional<int>(static_cast<int>(value)) : std::nullopt;
  };
  const auto thousandths = [&](bool answered) {
    return answered ? std::optional<double>(value / 1000.0) : std::nullopt;
  };
  kept_.power_watts = thousandths(asking_.ask(Question::kPower, calls_.power, &value));
  kept_.temperature_c = number(asking_.ask(Question::kTemperature, calls_.temperature, 0U, &value));
  kept_.fan_percent = number(asking_.ask(Question::kFan, calls_.fan, &value));
  kept_.core_clock_mhz = number(asking_.ask(Question::kCoreClock, calls_.clock, 1U, &value));
  kept_.memory_clock_mhz = number(asking_.ask(Question::kMemoryClock, calls_.clock, 2U, &value));
  u64 reasons = 0;
  const bool throttle = asking_.ask(Question::kReasons, calls_.clock_reasons, &reasons) ||
                        asking_.ask(Question::kOlderReasons, calls_.older_clock_reasons, &reasons);
  kept_.throttle = throttle ? std::optional(throttle_of(reasons)) : std::nullopt;
  read_fields();
  read_pcie_traffic();
}

void SampleReader::read_fields() {
  kept_.memory_temperature_c = std::nullopt;
  kept_.recovery = std::nullopt;
  std::array<FieldValue, 2> fields{};
  int count = 0;
  const auto want = [&](Question question, u32 field) {
    if (asking_.knows(question)) fields[static_cast<std::size_t>(count++)].field = field;
  };
  want(Question::kMemoryTemperature, kFieldMemoryTemperature);
  want(Question::kRecovery, kFieldRecoveryAction);
  if (count == 0 || !asking_.ask(Question::kFields, calls_.fields, count, fields.data())) return;
  for (int i = 0; i < count; ++i) {
    const FieldValue& field = fields[static_cast<std::size_t>(i)];
    const auto value = whole_of(field);
    if (field.field == kFieldMemoryTemperature) {
      asking_.note(Question::kMemoryTemperature, field.code);
      // Cards without that sensor say 0.
      if (value && *value > 0) kept_.memory_temperature_c = static_cast<double>(*value);
    } else {
      asking_.note(Question::kRecovery, field.code);
      if (value) kept_.recovery = recovery_of(*value);
    }
  }
}

void SampleReader::read_pcie_traffic() {
  // The counters of GPM cost nothing; this call measures for 20 ms each way.
  if (!gpm_.lacks_pcie()) return;
  u32 kib_s = 0;
  const auto traffic = [&](Question question, u32 direction) -> std::optional<double> {
    if (!asking_.ask(question, calls_.pcie_throughput, direction, &kib_s)) return std::nullopt;
    return kib_s / 1024.0;
  };
  kept_.pcie_sent_mib_s = traffic(Question::kPcieSent, 0U);
  kept_.pcie_received_mib_s = traffic(Question::kPcieReceived, 1U);
}

void SampleReader::read_each_minute() {
  u32 value = 0;
  const auto number = [&](bool answered) {
    return answered ? std::optional<int>(static_cast<int>(value)) : std::nullopt;
  };
  const auto fact = [&](bool answered) {
    return answered ? std::optional<bool>(value != 0) : std::nullopt;
  };
  const bool limit = asking_.ask(Question::kPowerLimit, calls_.power_limit, &value);
  kept_.power_limit_watts = limit ? std::optional(value / 1000.0) : std::nullopt;
  kept_.slowdown_temperature_c =
      number(asking_.ask(Question::kSlowdown, calls_.temperature_threshold, 1U, &value));
  kept_.pcie_generation =
      number(asking_.ask(Question::kPcieGeneration, calls_.pcie_generation, &value));
  kept_.pcie_width = number(asking_.ask(Question::kPcieWidth, calls_.pcie_width, &value));
  kept_.persistence = fact(asking_.ask(Question::kPersistence, calls_.persistence, &value));
  kept_.accounting = fact(asking_.ask(Question::kAccounting, calls_.accounting_mode, &value));
  const bool mode = asking_.ask(Question::kComputeMode, calls_.compute_mode, &value);
  kept_.compute_mode = mode ? compute_mode_of(value) : std::nullopt;
  u32 pending = 0;
  kept_.mig = fact(asking_.ask(Question::kMig, calls_.mig_mode, &value, &pending));

  u64 errors = 0;
  const auto count = [&](bool answered) { return answered ? std::optional(errors) : std::nullopt; };
  kept_.ecc_corrected = count(asking_.ask(Question::kEccCorrected, calls_.ecc, 0U, 0U, &errors));
  kept_.ecc_uncorrected =
      count(asking_.ask(Question::kEccUncorrected, calls_.ecc, 1U, 0U, &errors));
  u32 corrected = 0, uncorrected = 0, failed = 0;
  const bool rows = asking_.ask(Question::kRows, calls_.remapped_rows, &corrected, &uncorrected,
                                &pending, &failed);
  kept_.rows_pending = rows ? std::optional(pending != 0) : std::nullopt;
  kept_.rows_failed = rows ? std::optional(failed != 0) : std::nullopt;
}

}  // namespace gpusched::nvml
