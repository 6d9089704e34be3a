#include "core/state/estimates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "base/percent.h"

namespace gpusched {
namespace {

constexpr std::size_t kNewestRuns = 5;
constexpr int kDurationQuantile = 90;

}  // namespace

const char* level_name(EstimateLevel level) {
  switch (level) {
    case EstimateLevel::kSignature:
      return "signature";
    case EstimateLevel::kSweep:
      return "sweep";
    case EstimateLevel::kProgram:
      return "program";
  }
  CHECK(false);
}

void PeakRange::add(std::uint64_t peak_bytes) { add(PeakRange{peak_bytes, peak_bytes, 1}); }

void PeakRange::add(const PeakRange& others) {
  if (others.runs == 0) return;
  largest = std::max(largest, others.largest);
  smallest = runs == 0 ? others.smallest : std::min(smallest, others.smallest);
  runs += others.runs;
}

std::uint64_t hold_from_alike(const PeakRange& peaks, const EstimateRules& rules) {
  // One run says little: half as much again. Of many, the largest says nearly all, sooner where
  // they hardly differ.
  constexpr std::uint64_t kFewPercent = 35;
  const std::uint64_t spread =
      peaks.largest == 0 ? 0 : (peaks.largest - peaks.smallest) / (peaks.largest / 100 + 1);
  const std::uint64_t more = (kFewPercent + std::min<std::uint64_t>(spread, 100)) / peaks.runs;
  return percent_of(peaks.largest, rules.hold_percent + static_cast<int>(more));
}

template <class T>
T quantile_of(std::vector<T> values, int percent) {
  const std::size_t rank = (values.size() * static_cast<std::size_t>(percent) + 99) / 100;
  const std::size_t position = std::clamp<std::size_t>(rank, 1, values.size()) - 1;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}
template std::uint64_t quantile_of(std::vector<std::uint64_t>, int);
template double quantile_of(std::vector<double>, int);
template Microseconds quantile_of(std::vector<Microseconds>, int);

std::optional<Estimate> estimate_from(const PastRuns& past, const EstimateRules& rules) {
  std::vector<std::uint64_t> peaks;
  std::vector<double> loads;
  for (const PastRun& run : past.runs) {
    if (run.peak_vram_bytes > 0) peaks.push_back(run.peak_vram_bytes);
    if (run.load_percent) loads.push_back(*run.load_percent);
  }
  if (peaks.empty()) return std::nullopt;
  Estimate estimate{.runs = peaks.size()};
  const std::size_t newest = std::min(peaks.size(), kNewestRuns);
  const std::uint64_t largest =
      *std::max_element(peaks.end() - static_cast<long>(newest), peaks.end());
  const std::uint64_t usual = quantile_of(std::move(peaks), rules.quantile_percent);
  estimate.vram_bytes = std::max(percent_of(usual, rules.hold_percent), largest);
  if (!loads.empty()) {
    const double load = std::ceil(quantile_of(std::move(loads), rules.quantile_percent));
    estimate.share_percent = std::clamp(static_cast<int>(load), 1, 100);
  }
  return estimate;
}

std::optional<Microseconds> duration_from(const PastRuns& past) {
  std::vector<Microseconds> durations;
  for (const PastRun& run : past.runs) {
    if (run.end == RunEnd::kCompleted) durations.push_back(run.duration);
  }
  if (durations.empty()) return std::nullopt;
  return quantile_of(std::move(durations), kDurationQuantile);
}

const PastRuns* Estimates::find(const PastRunsKey& key) const {
  const auto found = all_.find(key);
  return found == all_.end() ? nullptr : &found->second.past;
}

Estimates::Range Estimates::of(SignatureId signature) const {
  const auto first = all_.lower_bound({signature, {}});
  auto last = first;
  while (last != all_.end() && last->first.signature == signature) ++last;
  return {first, last};
}

void Estimates::put(PastRuns past, const EstimateRules& rules) {
  erase(past.key);
  by_age_.emplace(past.last, past.key);
  const PastRunsKey key = past.key;
  std::optional<Estimate> estimate = estimate_from(past, rules);
  const std::optional<Microseconds> duration = duration_from(past);
  PeakRange peaks;
  for (const PastRun& run : past.runs) {
    if (run.peak_vram_bytes > 0) peaks.add(run.peak_vram_bytes);
  }
  all_.emplace(key, Known{std::move(past), estimate, duration, peaks});
}

void Estimates::erase(const PastRunsKey& key) {
  const auto found = all_.find(key);
  if (found == all_.end()) return;
  by_age_.erase({found->second.past.last, key});
  all_.erase(found);
}

}  // namespace gpusched
