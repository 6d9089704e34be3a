// How many values there were up to each of a few fixed bounds. Values are counted in the one bucket
// that they belong to; what is written adds up (exposition.h), so that adding a value stays cheap.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace gpusched::metrics {

// In seconds. Of what the daemon does itself: turns, commits, answers.
inline constexpr std::array kShortBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                            0.025,  0.05,    0.1,    0.25,  0.5,    1.0,   5.0};
// Of what a process takes to start, or to be moved.
inline constexpr std::array kStartBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,  0.25,
                                            0.5,   1.0,    2.5,   5.0,  10.0,  30.0, 120.0};
// Of what people wait for: a second to a week.
inline constexpr std::array kLongBounds = {1.0,    5.0,     15.0,    60.0,    300.0,    900.0,
                                           3600.0, 14400.0, 43200.0, 86400.0, 259200.0, 604800.0};

class Histogram {
 public:
  // REQUIRES: bounds rise, and are there for ever.
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1, 0) {}

  // What is no number is not counted. A clock that was set back makes no negative time.
  void observe(double value) {
    if (!std::isfinite(value)) return;
    value = std::max(value, 0.0);
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    ++counts_[static_cast<std::size_t>(bucket)];
    ++count_;
    sum_ += value;
  }

  std::span<const double> bounds() const { return bounds_; }
  // One for each bound, and one for what is above all of them; each value in one of them.
  std::span<const std::uint64_t> counts() const { return counts_; }
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace gpusched::metrics
