#include "history/block.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "history/column.h"

namespace gpusched::history {
namespace {

constexpr char kFormat = 1;
// More would not survive the way through a double.
constexpr double kLargest = 9e15;

std::int64_t in_units(double value, double unit) {
  return std::llround(std::clamp(value / unit, -kLargest, kLargest));
}

void pack_metric(std::string& out, const Block& block, std::size_t index, const Metric& metric) {
  std::vector<std::int64_t> counts, means, excesses;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const Cell& cell = block.cell(index, bucket);
    counts.push_back(cell.count);
    if (cell.count == 0) continue;
    means.push_back(in_units(*cell.mean(), metric.unit));
    // By how much the highest exceeds the mean: seldom more than a byte.
    excesses.push_back(in_units(cell.highest, metric.unit) - means.back());
  }
  append_column(out, counts);
  append_column(out, means);
  if (metric.with_max) append_column(out, excesses);
}

bool unpack_metric(std::string_view& bytes, const Metric& metric, std::size_t index, Block& block) {
  const auto counts = take_column(bytes, kBuckets);
  if (!counts) return false;
  const auto absent = static_cast<std::size_t>(std::ranges::count(*counts, 0));
  const auto means = take_column(bytes, kBuckets - absent);
  if (!means) return false;
  auto excesses = metric.with_max ? take_column(bytes, kBuckets - absent) : means;
  if (!excesses) return false;
  std::size_t present = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const std::int64_t count = (*counts)[bucket];
    if (count == 0) continue;
    if (count < 0 || count > std::numeric_limits<std::uint32_t>::max()) return false;
    const auto mean = static_cast<double>((*means)[present]) * metric.unit;
    const auto excess = static_cast<double>((*excesses)[present]) * metric.unit;
    ++present;
    Cell& cell = block.cell(index, bucket);
    cell.count = static_cast<std::uint32_t>(count);
    cell.sum = mean * static_cast<double>(count);
    cell.highest = metric.with_max ? mean + excess : mean;
  }
  return true;
}

}  // namespace

void Cell::add(double value) { add(Cell{value, value, 1}); }

void Cell::add(const Cell& other) {
  if (other.count == 0) return;
  highest = count == 0 ? other.highest : std::max(highest, other.highest);
  sum += other.sum;
  count += other.count;
}

std::optional<double> Cell::mean() const {
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::optional<double> Cell::max() const {
  if (count == 0) return std::nullopt;
  return highest;
}

void Block::add(Wall at, const Values& values) {
  CHECK(at >= start_ && at < end() && values.size() == metrics());
  const auto bucket = static_cast<std::size_t>((at - start_) / width_);
  for (std::size_t metric = 0; metric < values.size(); ++metric) {
    if (values[metric] && std::isfinite(*values[metric])) cell(metric, bucket).add(*values[metric]);
  }
}

Wall block_start(Wall at, Seconds width) {
  const Microseconds length = width * kBuckets;
  const Microseconds since = at.time_since_epoch();
  // Rounded down, also before 1970: a clock that was never set must not end us.
  const auto number = since / length - (since % length < Microseconds{0} ? 1 : 0);
  return Wall{length * number};
}

std::string pack(const Block& block, std::span<const Metric> metrics) {
  CHECK(metrics.size() == block.metrics());
  std::string out;
  out += kFormat;
  out += static_cast<char>(metrics.size());
  for (std::size_t i = 0; i < metrics.size(); ++i) pack_metric(out, block, i, metrics[i]);
  return out;
}

bool unpack(std::string_view bytes, std::span<const Metric> metrics, Block& block) {
  CHECK(metrics.size() == block.metrics());
  if (bytes.size() < 2 || bytes[0] != kFormat) return false;
  const auto written = static_cast<std::size_t>(static_cast<unsigned char>(bytes[1]));
  bytes.remove_prefix(2);
  for (std::size_t i = 0; i < std::min(written, metrics.size()); ++i) {
    if (!unpack_metric(bytes, metrics[i], i, block)) return false;
  }
  return true;
}

}  // namespace gpusched::history
