#include "history/plan.h"

#include <algorithm>
#include <cmath>

namespace gpusched::history {
namespace {

Seconds rounded_up(Seconds step, Seconds width) {
  return width * ((step + width - Seconds{1}) / width);
}

Wall rounded_down(Wall at, Seconds step) {
  return Wall{std::chrono::floor<Seconds>(at.time_since_epoch()) / step * step};
}

std::size_t tier_for(const Tiers& tiers, Seconds step, Microseconds age) {
  std::size_t chosen = kTiers;
  for (std::size_t i = 0; i < kTiers; ++i) {
    if (tiers[i].keep == Seconds{0}) continue;
    const bool fine_enough = tiers[i].width <= step;
    const bool too_short = chosen < kTiers && tiers[chosen].keep < age;
    if (chosen == kTiers || fine_enough || too_short) chosen = i;
  }
  return chosen == kTiers ? 0 : chosen;
}

std::optional<double> shown(const std::optional<double>& value, const Metric& metric) {
  if (!value) return std::nullopt;
  return metric.whole ? std::round(*value) : std::round(*value * 100) / 100;
}

}  // namespace

Plan plan_of(const Question& question, const Tiers& tiers, Wall now) {
  const Seconds span =
      std::max(Seconds{1}, std::chrono::ceil<Seconds>(question.to - question.from));
  const auto points =
      static_cast<std::int64_t>(std::clamp<std::size_t>(question.points, 1, kPointsMost));
  Seconds step = question.step.value_or(Seconds{(span.count() + points - 1) / points});
  const auto most = static_cast<std::int64_t>(kPointsMost);
  step = std::max({step, Seconds{1}, Seconds{(span.count() + most - 1) / most}});
  Plan plan;
  plan.tier = tier_for(tiers, step, now - question.from);
  plan.step = rounded_up(step, tiers[plan.tier].width);
  plan.from = rounded_down(question.from, plan.step);
  // What the first step holds from before `from` comes in; what is to come is left out.
  const auto steps = std::max<std::int64_t>(
      1, (question.to - plan.from + plan.step - Microseconds{1}) / Microseconds{plan.step});
  plan.to = plan.from + plan.step * steps;
  return plan;
}

Gathering::Gathering(const Plan& plan, std::span<const Metric> metrics)
    : plan_(plan), metrics_(metrics), cells_(metrics.size() * plan.points()) {}

void Gathering::add(const Block& block) {
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const Wall start = block.bucket_start(bucket);
    if (start < plan_.from || start >= plan_.to) continue;
    const auto point = static_cast<std::size_t>((start - plan_.from) / plan_.step);
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric) {
      const Cell& cell = block.cell(metric, bucket);
      if (cell.count > 0) empty_ = false;
      cells_[metric * plan_.points() + point].add(cell);
    }
  }
}

std::vector<Series> Gathering::series() const {
  std::vector<Series> all;
  const std::size_t points = plan_.points();
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const Metric& metric = metrics_[i];
    Series mean{std::string(metric.name), metric.whole, {}};
    Series highest{std::string(metric.name) + "_max", metric.whole, {}};
    for (std::size_t point = 0; point < points; ++point) {
      const Cell& cell = cells_[i * points + point];
      mean.values.push_back(shown(cell.mean(), metric));
      if (metric.with_max) highest.values.push_back(shown(cell.max(), metric));
    }
    all.push_back(std::move(mean));
    if (metric.with_max) all.push_back(std::move(highest));
  }
  return all;
}

}  // namespace gpusched::history
