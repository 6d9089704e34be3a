// What reports say that things cost.
#pragma once

#include <string>

namespace gpusched {

// A price of 0: nothing is said of that.
struct ReportPrices {
  double per_kwh = 0;
  double per_gpu_hour = 0;
  std::string currency = "EUR";
  friend bool operator==(const ReportPrices&, const ReportPrices&) = default;
};

}  // namespace gpusched
