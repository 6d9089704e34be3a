#include "core/model/tally.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace gpusched {
namespace {

constexpr double kBucketsPerDoubling = 8;

}  // namespace

void Tally::add(std::uint8_t at, double amount) {
  if (amount == 0) return;
  const auto place = std::ranges::lower_bound(entries_, at, {}, &Entry::first);
  if (place == entries_.end() || place->first != at) {
    entries_.insert(place, {at, amount});
    return;
  }
  place->second += amount;
  if (place->second == 0) entries_.erase(place);
}

void Tally::add(const Tally& other) {
  for (const auto& [at, amount] : other.entries_) add(at, amount);
}

double Tally::of(std::uint8_t at) const {
  const auto place = std::ranges::lower_bound(entries_, at, {}, &Entry::first);
  return place != entries_.end() && place->first == at ? place->second : 0;
}

double Tally::total() const {
  double sum = 0;
  for (const auto& [at, amount] : entries_) sum += amount;
  return sum;
}

std::uint8_t wait_bucket(double seconds) {
  if (!(seconds >= 1)) return 0;
  return static_cast<std::uint8_t>(
      std::min(255.0, 1 + std::floor(kBucketsPerDoubling * std::log2(seconds))));
}

double wait_in_bucket(std::uint8_t bucket) {
  return bucket == 0 ? 0 : std::exp2((bucket - 0.5) / kBucketsPerDoubling);
}

double wait_quantile(const Tally& waits, double part) {
  CHECK(!waits.empty());
  double left = std::max(1.0, std::ceil(part * waits.total() - 1e-9));
  for (const auto& [bucket, count] : waits.entries()) {
    left -= count;
    if (left <= 1e-9) return wait_in_bucket(bucket);
  }
  return wait_in_bucket(waits.entries().back().first);
}

}  // namespace gpusched
