// Amounts by a small number (a bucket, an hour, a cause): sorted, without those that are nothing.
// Adding two of them is exact whatever the order of their entries.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace gpusched {

class Tally {
 public:
  using Entry = std::pair<std::uint8_t, double>;
  void add(std::uint8_t at, double amount);
  void add(const Tally& other);
  double of(std::uint8_t at) const;
  double total() const;
  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }
  friend bool operator==(const Tally&, const Tally&) = default;

 private:
  std::vector<Entry> entries_;
};

// Waiting times in fixed buckets, eight to each doubling, so that quantiles of sums are as right as
// those of the parts: within 5 %. Bucket 0 is less than a second.
std::uint8_t wait_bucket(double seconds);
// The middle of a bucket.
double wait_in_bucket(std::uint8_t bucket);
// The least wait that `part` of them do not exceed. REQUIRES: !waits.empty().
double wait_quantile(const Tally& waits, double part);

}  // namespace gpusched
