// Times of many requests, from which shares are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpusched {

class Latencies {
 public:
  void add(std::int64_t nanoseconds) { all_.push_back(nanoseconds); }
  std::size_t count() const { return all_.size(); }
  // In milliseconds; 0 where there are none.
  double share(double part) {
    if (all_.empty()) return 0;
    const auto at = std::min(all_.size() - 1,
                             static_cast<std::size_t>(static_cast<double>(all_.size()) * part));
    std::nth_element(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(at), all_.end());
    return static_cast<double>(all_[at]) / 1e6;
  }

 private:
  std::vector<std::int64_t> all_;
};

}  // namespace gpusched
