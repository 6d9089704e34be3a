#include "nvml/gpm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gpusched::nvml {
namespace {

// Shorter ones are noise; also what keeps a quick repetition after an exit cheap.
constexpr auto kShortestGpm = std::chrono::milliseconds{500};

std::optional<double> figure_of(const GpmMetric& metric) {
  if (metric.code != kSuccess || !std::isfinite(metric.value)) return std::nullopt;
  return metric.value;
}
std::optional<double> percent_of(const GpmMetric& metric) {
  const auto figure = figure_of(metric);
  // The counters of two lanes are not read at one instant: a little over 100 occurs.
  if (!figure || *figure < 0) return std::nullopt;
  return std::min(*figure, 100.0);
}

}  // namespace

Gpm::~Gpm() {
  if (older_ != nullptr) library_->calls().gpm_free(older_);
  if (newer_ != nullptr) library_->calls().gpm_free(newer_);
}

bool Gpm::begin(Asking& asking) {
  if (begun_) return works();
  begun_ = true;
  const Calls& calls = library_->calls();
  if (calls.gpm_alloc == nullptr || calls.gpm_free == nullptr || calls.gpm_get == nullptr ||
      calls.gpm_metrics == nullptr) {
    return false;
  }
  GpmSupport support{};
  if (!asking.ask(Question::kGpm, calls.gpm_support, &support) || support.supported == 0) {
    return false;
  }
  if (calls.gpm_alloc(&older_) != kSuccess) older_ = nullptr;
  if (calls.gpm_alloc(&newer_) != kSuccess) newer_ = nullptr;
  return works();
}

const GpmFigures& Gpm::read(Asking& asking, Boot now) {
  if (!asking.knows(Question::kGpm) || !begin(asking)) return figures_;
  if (taken_ && now - *taken_ < kShortestGpm) return figures_;
  const Calls& calls = library_->calls();
  std::swap(older_, newer_);
  figures_ = {};
  if (!asking.ask(Question::kGpm, calls.gpm_get, newer_)) {
    taken_.reset();
    return figures_;
  }
  if (std::exchange(taken_, now)) {
    const auto metrics = std::make_unique<GpmMetrics>();
    constexpr std::array<u32, 4> kWanted = {kGpmSmActive, kGpmDramActive, kGpmPcieSent,
                                            kGpmPcieReceived};
    metrics->count = kWanted.size();
    metrics->first = older_;
    metrics->second = newer_;
    for (std::size_t i = 0; i < kWanted.size(); ++i) metrics->metrics[i].metric = kWanted[i];
    measured_ = calls.gpm_metrics(metrics.get()) == kSuccess;
    if (measured_) {
      figures_ = {percent_of(metrics->metrics[0]), percent_of(metrics->metrics[1]),
                  figure_of(metrics->metrics[2]), figure_of(metrics->metrics[3])};
    }
  }
  return figures_;
}

}  // namespace gpusched::nvml
