// What instruments show: use, power, heat, clocks, links to the host.
#include <algorithm>

#include "simdriver/card_model.h"
#include "simdriver/clock.h"
#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using namespace gpusched::simdriver;
using nvml::Device;

namespace {

constexpr unsigned kMemoryClock = 2;
constexpr unsigned kClocks = 4;
constexpr unsigned kEncoderPeriodUs = 167000;

// Most of these calls: one number out of a reading.
template <class Number, class Pick>
int read_number(const char* function, Device device, Number* out, Pick pick) {
  return nvml::on_card(function, device, out, [&](const nvml::CardCall& call, Number& value) {
    value = static_cast<Number>(pick(read_card(call.world, call.card)));
    return nvml::kSuccess;
  });
}
template <class Number, class Pick>
int read_fact(const char* function, Device device, Number* out, Pick pick) {
  return nvml::on_card(function, device, out, [&](const nvml::CardCall& call, Number& value) {
    value = static_cast<Number>(pick(call.facts));
    return nvml::kSuccess;
  });
}

int threshold_of(const CardFacts& facts, unsigned kind, unsigned& out) {
  switch (kind) {
    case 0:
      out = facts.shutdown_c;
      return nvml::kSuccess;
    case 1:
      out = facts.slowdown_c;
      return nvml::kSuccess;
    case 2:
      out = facts.slowdown_c + 8;
      return nvml::kSuccess;
    case 3:
      out = facts.slowdown_c - 2;
      return nvml::kSuccess;
    default:
      return kind < 8 ? nvml::kNotSupported : nvml::kInvalidArgument;
  }
}

int codec_use(const char* function, Device device, unsigned* use, unsigned* period_us) {
  return nvml::on_card(function, device, use, [&](const nvml::CardCall&, unsigned& out) -> int {
    if (period_us == nullptr) return nvml::kInvalidArgument;
    out = 0;
    *period_us = kEncoderPeriodUs;
    return nvml::kSuccess;
  });
}

}  // namespace

extern "C" {

int nvmlDeviceGetUtilizationRates(Device device, nvml::Utilization* rates) {
  return nvml::on_card(__func__, device, rates, [](const nvml::CardCall& call, auto& out) {
    if (call.state.mig.load() != 0) return nvml::kNotSupported;
    const CardReading reading = read_card(call.world, call.card);
    out = {reading.busy_percent, reading.memory_busy_percent};
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetEncoderUtilization(Device device, unsigned* use, unsigned* period_us) {
  return codec_use(__func__, device, use, period_us);
}
int nvmlDeviceGetDecoderUtilization(Device device, unsigned* use, unsigned* period_us) {
  return codec_use(__func__, device, use, period_us);
}

int nvmlDeviceGetPowerUsage(Device device, unsigned* mw) {
  return read_number(__func__, device, mw, [](const CardReading& r) { return r.power_mw; });
}
int nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* mj) {
  return read_number(__func__, device, mj, [](const CardReading& r) { return r.energy_mj; });
}
int nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* mw) {
  return nvml::on_card(__func__, device, mw, [](const nvml::CardCall& call, unsigned& out) {
    out = static_cast<unsigned>(call.state.power_limit_mw.load());
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetPowerManagementLimit(Device device, unsigned* mw) {
  return nvml::on_card(__func__, device, mw, [](const nvml::CardCall& call, unsigned& out) {
    out = static_cast<unsigned>(call.state.power_limit_mw.load());
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetPowerManagementDefaultLimit(Device device, unsigned* mw) {
  return read_fact(__func__, device, mw, [](const CardFacts& f) { return f.limit_mw; });
}
int nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned* low, unsigned* high) {
  return nvml::on_card(__func__, device, low, [&](const nvml::CardCall& call, unsigned& out) {
    if (high == nullptr) return nvml::kInvalidArgument;
    out = call.facts.lowest_limit_mw;
    *high = call.facts.limit_mw;
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetPowerManagementMode(Device device, unsigned* mode) {
  return read_fact(__func__, device, mode, [](const CardFacts&) { return 1; });
}
int nvmlDeviceSetPowerManagementLimit(Device device, unsigned mw) {
  return nvml::on_card(__func__, device, [mw](const nvml::CardCall& call) -> int {
    if (const int code = nvml::need_root(); code != nvml::kSuccess) return code;
    if (mw < call.facts.lowest_limit_mw || mw > call.facts.limit_mw) {
      return nvml::kInvalidArgument;
    }
    call.state.power_limit_mw.store(mw);
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetTemperature(Device device, unsigned sensor, unsigned* celsius) {
  if (sensor != 0) return nvml::kInvalidArgument;
  return read_number(__func__, device, celsius,
                     [](const CardReading& r) { return r.temperature_c; });
}
int nvmlDeviceGetTemperatureV(Device device, nvml::Temperature1* temperature) {
  return nvml::on_card(__func__, device, temperature, [](const nvml::CardCall& call, auto& out) {
    if (out.version != nvml::versioned(sizeof out, 1)) return nvml::kArgumentVersionMismatch;
    if (out.sensor != 0) return nvml::kInvalidArgument;
    out.value = static_cast<int>(read_card(call.world, call.card).temperature_c);
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetMarginTemperature(Device device, nvml::MarginTemperature1* margin) {
  return nvml::on_card(__func__, device, margin, [](const nvml::CardCall& call, auto& out) {
    if (out.version != nvml::versioned(sizeof out, 1)) return nvml::kArgumentVersionMismatch;
    out.value = static_cast<int>(call.facts.slowdown_c) -
                static_cast<int>(read_card(call.world, call.card).temperature_c);
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetTemperatureThreshold(Device device, unsigned kind, unsigned* celsius) {
  return nvml::on_card(__func__, device, celsius,
                       [kind](const nvml::CardCall& call, unsigned& out) {
                         return threshold_of(call.facts, kind, out);
                       });
}

int nvmlDeviceGetFanSpeed(Device device, unsigned* percent) {
  return nvml::on_card(__func__, device, percent, [](const nvml::CardCall& call, unsigned& out) {
    if (!call.has(kHasFan)) return nvml::kNotSupported;
    out = read_card(call.world, call.card).fan_percent;
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetFanSpeed_v2(Device device, unsigned fan, unsigned* percent) {
  return fan == 0 ? nvmlDeviceGetFanSpeed(device, percent) : nvml::kInvalidArgument;
}
int nvmlDeviceGetNumFans(Device device, unsigned* fans) {
  return read_fact(__func__, device, fans,
                   [](const CardFacts& f) { return (f.features & kHasFan) != 0 ? 1 : 0; });
}

int nvmlDeviceGetClockInfo(Device device, unsigned kind, unsigned* mhz) {
  if (kind >= kClocks) return nvml::kInvalidArgument;
  return read_number(__func__, device, mhz, [kind](const CardReading& r) {
    return kind == kMemoryClock ? r.memory_clock_mhz : r.core_clock_mhz;
  });
}
int nvmlDeviceGetMaxClockInfo(Device device, unsigned kind, unsigned* mhz) {
  if (kind >= kClocks) return nvml::kInvalidArgument;
  return read_fact(__func__, device, mhz, [kind](const CardFacts& f) {
    return kind == kMemoryClock ? f.memory_clock_mhz : f.core_clock_mhz;
  });
}
int nvmlDeviceGetApplicationsClock(Device device, unsigned kind, unsigned* mhz) {
  return nvmlDeviceGetMaxClockInfo(device, kind, mhz);
}
int nvmlDeviceGetPerformanceState(Device device, unsigned* state) {
  return read_number(__func__, device, state,
                     [](const CardReading& r) { return r.performance_state; });
}
int nvmlDeviceGetPowerState(Device device, unsigned* state) {
  return read_number(__func__, device, state,
                     [](const CardReading& r) { return r.performance_state; });
}
int nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* reasons) {
  return read_number(__func__, device, reasons,
                     [](const CardReading& r) { return r.clock_reasons; });
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* reasons) {
  return read_number(__func__, device, reasons,
                     [](const CardReading& r) { return r.clock_reasons; });
}
int nvmlDeviceGetSupportedClocksEventReasons(Device device, unsigned long long* reasons) {
  return read_fact(__func__, device, reasons, [](const CardFacts&) { return 0x1ff; });
}
int nvmlDeviceGetSupportedClocksThrottleReasons(Device device, unsigned long long* reasons) {
  return read_fact(__func__, device, reasons, [](const CardFacts&) { return 0x1ff; });
}

int nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* generation) {
  return read_fact(__func__, device, generation,
                   [](const CardFacts& f) { return f.pcie_generation; });
}
int nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* generation) {
  return read_fact(__func__, device, generation,
                   [](const CardFacts& f) { return f.pcie_generation; });
}
int nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* width) {
  return read_fact(__func__, device, width, [](const CardFacts& f) { return f.pcie_width; });
}
int nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* width) {
  return read_fact(__func__, device, width, [](const CardFacts& f) { return f.pcie_width; });
}
int nvmlDeviceGetPcieThroughput(Device device, unsigned counter, unsigned* kib_s) {
  if (counter > 1) return nvml::kInvalidArgument;
  return read_number(__func__, device, kib_s, [counter](const CardReading& r) {
    return r.busy_percent * (counter == 0 ? 2048 : 10240);
  });
}
int nvmlDeviceGetPcieReplayCounter(Device device, unsigned* replays) {
  return read_fact(__func__, device, replays, [](const CardFacts&) { return 0; });
}
int nvmlDeviceGetViolationStatus(Device device, unsigned, nvml::ViolationTime* time) {
  return nvml::on_card(__func__, device, time, [](const nvml::CardCall&, auto& out) {
    out = {wall_us(), 0};
    return nvml::kSuccess;
  });
}

// One sample, the present: rings that run dry are a habit of real drivers too.
int nvmlDeviceGetSamples(Device device, unsigned kind, unsigned long long last_seen_us,
                         unsigned* type, unsigned* count, nvml::Sample* samples) {
  return nvml::on_card(__func__, device, count, [&](const nvml::CardCall& call, unsigned& out) {
    if (type == nullptr || kind > 9) return nvml::kInvalidArgument;
    if (kind > 2) return nvml::kNotSupported;
    *type = 1;
    const unsigned room = out;
    out = 1;
    if (samples == nullptr) return nvml::kSuccess;
    if (room < 1) return nvml::kInsufficientSize;
    const std::uint64_t now = wall_us();
    if (now <= last_seen_us) return nvml::kNotFound;
    const CardReading reading = read_card(call.world, call.card);
    samples[0] = {now, {}};
    samples[0].value.u32 = kind == 0   ? reading.power_mw
                           : kind == 1 ? reading.busy_percent
                                       : reading.memory_busy_percent;
    return nvml::kSuccess;
  });
}

}  // extern "C"
