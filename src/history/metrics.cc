#include "history/metrics.h"

#include <array>

namespace gpusched::history {
namespace {

// Finer than any driver measures, and coarse enough for most differences to fit into two bytes.
constexpr double kTenth = 0.1;
constexpr double kHundredth = 0.01;
constexpr double kBytes = 64 * 1024;

constexpr std::array kCard = {
    Metric{"busy_percent", kTenth},
    Metric{"used_bytes", kBytes, true, true},
    Metric{"sm_active_percent", kTenth},
    Metric{"dram_active_percent", kTenth},
    Metric{"power_watts", kTenth, true},
    Metric{"temperature_c", kTenth, true},
    Metric{"held_vram_bytes", kBytes, false, true},
    Metric{"jobs", kHundredth},
    Metric{"foreign_processes", kHundredth},
};
constexpr std::array kJob = {
    Metric{"vram_bytes", kBytes, true, true},
    Metric{"busy_percent", kTenth},
};

template <class Number>
std::optional<double> real(const std::optional<Number>& value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

}  // namespace

std::span<const Metric> card_metrics() { return kCard; }
std::span<const Metric> job_metrics() { return kJob; }

Values values_of(const CardPoint& point) {
  return {point.busy_percent,          real(point.used_bytes), point.sm_active_percent,
          point.dram_active_percent,   point.power_watts,      point.temperature_c,
          real(point.held_vram_bytes), real(point.jobs),       real(point.foreign_processes)};
}

Values values_of(const JobPoint& point) { return {real(point.vram_bytes), point.busy_percent}; }

}  // namespace gpusched::history
