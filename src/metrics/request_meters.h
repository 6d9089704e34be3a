// What was asked of the API and how long answers took, by route. Bounded by the table of routes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "metrics/exposition.h"

namespace gpusched::metrics {

class RequestMeters {
 public:
  // REQUIRES: `route` and `method` are words of a table, and are there for ever.
  void answered(std::string_view route, std::string_view method, int status, double seconds);
  void write(Exposition& out) const;

 private:
  struct Entry {
    std::array<std::uint64_t, 5> by_class{};  // 1xx to 5xx.
    Histogram seconds{kShortBounds};
  };
  std::map<std::pair<std::string_view, std::string_view>, Entry> entries_;
};

}  // namespace gpusched::metrics
