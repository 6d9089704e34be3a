// A stretch of 60 buckets of one card or attempt in one tier: what a row of the database holds. In
// memory a bucket is a sum, so that the open one is like any other and a mean stays the mean of the
// points beneath it, however often it is read, added to and written again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "history/metrics.h"

namespace gpusched::history {

inline constexpr std::size_t kBuckets = 60;

// One metric in one bucket.
struct Cell {
  double sum = 0;
  double highest = 0;
  std::uint32_t count = 0;  // 0: nothing is known.

  void add(double value);
  void add(const Cell& other);
  std::optional<double> mean() const;
  std::optional<double> max() const;
};

class Block {
 public:
  Block(Wall start, Seconds width, std::size_t metrics)
      : start_(start), width_(width), cells_(metrics * kBuckets) {}

  Wall start() const { return start_; }
  Wall end() const { return start_ + width_ * kBuckets; }
  Seconds width() const { return width_; }
  std::size_t metrics() const { return cells_.size() / kBuckets; }
  Wall bucket_start(std::size_t bucket) const {
    return start_ + width_ * static_cast<std::int64_t>(bucket);
  }

  // REQUIRES: `at` lies within, one value per metric.
  void add(Wall at, const Values& values);

  Cell& cell(std::size_t metric, std::size_t bucket) { return cells_[metric * kBuckets + bucket]; }
  const Cell& cell(std::size_t metric, std::size_t bucket) const {
    return cells_[metric * kBuckets + bucket];
  }

 private:
  Wall start_;
  Seconds width_;
  std::vector<Cell> cells_;
};

// Where the block lies that holds `at`: a multiple of its length since 1970.
Wall block_start(Wall at, Seconds width);

std::string pack(const Block& block, std::span<const Metric> metrics);
// Fills an empty block. A metric that the bytes do not have (an older version wrote them) stays
// absent. False: the bytes are damaged; what was read until then is in the block.
bool unpack(std::string_view bytes, std::span<const Metric> metrics, Block& block);

}  // namespace gpusched::history
