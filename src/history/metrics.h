// The list of what is kept over time, once for cards and once for attempts: name, resolution on
// disk, and whether the highest value of a bucket counts beside its mean. The order is that of the
// columns on disk: new ones go to the end.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "history/series.h"

namespace gpusched::history {

struct Metric {
  std::string_view name;
  double unit = 1;        // Values are kept as multiples of it.
  bool with_max = false;  // A short peak matters, not only the mean.
  bool whole = false;     // Bytes: shown without fractions.
};

std::span<const Metric> card_metrics();
std::span<const Metric> job_metrics();

// In the order of the metrics.
using Values = std::vector<std::optional<double>>;
Values values_of(const CardPoint& point);
Values values_of(const JobPoint& point);

}  // namespace gpusched::history
