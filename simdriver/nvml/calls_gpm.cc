// Figures between two samples (GPM), which Hopper and newer cards have.
#include "simdriver/card_model.h"
#include "simdriver/clock.h"
#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using namespace gpusched::simdriver;
using nvml::Device;

namespace {

struct Taken {
  std::uint64_t time_us = 0;
  std::uint32_t busy_percent = 0, memory_busy_percent = 0;
};

int write_metric(const Taken& first, const Taken& second, nvml::GpmMetric& metric) {
  const double busy = (first.busy_percent + second.busy_percent) / 2.0;
  const double memory = (first.memory_busy_percent + second.memory_busy_percent) / 2.0;
  switch (metric.metric) {
    case 1:  // Graphics active.
    case 2:  // SM active.
      metric.value = busy;
      return nvml::kSuccess;
    case 3:  // SM occupancy.
    case 5:  // Any tensor core.
      metric.value = busy / 2;
      return nvml::kSuccess;
    case 10:  // DRAM bandwidth.
      metric.value = memory;
      return nvml::kSuccess;
    default:
      return nvml::kNotSupported;
  }
}

}  // namespace

extern "C" {

int nvmlGpmQueryDeviceSupport(Device device, nvml::GpmSupport* support) {
  return nvml::on_card(__func__, device, support, [](const nvml::CardCall& call, auto& out) {
    if (out.version != 1) return nvml::kArgumentVersionMismatch;
    out.supported = call.has(kHasGpm) ? 1 : 0;
    return nvml::kSuccess;
  });
}

int nvmlGpmSampleAlloc(nvml::GpmSample* sample) {
  return nvml::on_driver(__func__, [&](const nvml::Session&) -> int {
    if (sample == nullptr) return nvml::kInvalidArgument;
    *sample = new Taken;
    return nvml::kSuccess;
  });
}

int nvmlGpmSampleFree(nvml::GpmSample sample) {
  delete static_cast<Taken*>(sample);
  return nvml::kSuccess;
}

int nvmlGpmSampleGet(Device device, nvml::GpmSample sample) {
  return nvml::on_card(__func__, device, [sample](const nvml::CardCall& call) {
    if (!call.has(kHasGpm)) return nvml::kNotSupported;
    if (sample == nullptr) return nvml::kInvalidArgument;
    const CardReading reading = read_card(call.world, call.card);
    *static_cast<Taken*>(sample) = {wall_us(), reading.busy_percent, reading.memory_busy_percent};
    return nvml::kSuccess;
  });
}

int nvmlGpmMetricsGet(nvml::GpmMetricsGet* get) {
  return nvml::on_driver(__func__, [get](const nvml::Session&) -> int {
    if (get == nullptr || get->first == nullptr || get->second == nullptr) {
      return nvml::kInvalidArgument;
    }
    if (get->version != 1) return nvml::kArgumentVersionMismatch;
    const auto& first = *static_cast<const Taken*>(get->first);
    const auto& second = *static_cast<const Taken*>(get->second);
    // The second one must be the later one, and both must have been taken.
    if (first.time_us == 0 || second.time_us <= first.time_us) return nvml::kInvalidArgument;
    nvml::GpmMetric* metrics = get->metrics;
    for (std::uint32_t i = 0; i < get->count; ++i) {
      metrics[i].code = write_metric(first, second, metrics[i]);
    }
    return nvml::kSuccess;
  });
}

}  // extern "C"
