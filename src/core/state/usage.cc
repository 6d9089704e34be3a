#include "core/state/usage.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gpusched {
namespace {

// Days further from today than any period reaches are forgotten.
constexpr int kDaysKept = GpuHours::kDaysMost + 2;

double seconds_in(Microseconds time) { return std::chrono::duration<double>(time).count(); }

Microseconds since(Boot before, Boot now) { return std::max(Microseconds{0}, now - before); }

double cards_per_second(ChargeRate rate) { return static_cast<double>(rate) / kChargesPerCard; }

// What ran for `passed` up to `now`, put on the days on which it did.
void add_to_days(std::map<int, double>& days, double cards, Microseconds passed, Wall now) {
  const int today = day_of(now);
  if (cards > 0) {
    const Microseconds day_length = std::chrono::days{1};
    Microseconds left = passed;
    Microseconds of_day = now.time_since_epoch() - std::chrono::days{today};
    for (int day = today; left > Microseconds{0} && day > today - kDaysKept; --day) {
      const Microseconds part = std::min(left, of_day);
      if (part > Microseconds{0}) days[day] += cards * seconds_in(part);
      left -= part;
      of_day = day_length;
    }
  }
  std::erase_if(days, [&](const auto& one) { return std::abs(one.first - today) > kDaysKept; });
}

}  // namespace

ChargeRate charge_rate_of(const Grant& grant, const std::vector<Card>& cards) {
  ChargeRate rate = 0;
  for (const CardGrant& held : grant.cards) {
    double share = held.whole ? 1.0 : held.share_percent / 100.0;
    const auto card = std::ranges::find(cards, held.card, &Card::number);
    if (card != cards.end() && card->capacity_bytes() > 0) {
      share = std::max(share, static_cast<double>(held.vram_bytes) /
                                  static_cast<double>(card->capacity_bytes()));
    }
    rate += std::llround(std::min(share, 1.0) * kChargesPerCard);
  }
  return rate;
}

double decay_over(Microseconds passed, Seconds half_life) {
  if (half_life <= Seconds{0}) return 0;
  return std::exp2(-seconds_in(passed) / static_cast<double>(half_life.count()));
}

namespace {

// What is left of `gpu_seconds`, with `rate` in force for as long.
double faded(double gpu_seconds, ChargeRate rate, Microseconds passed, Seconds half_life) {
  const double left = decay_over(passed, half_life);
  // The integral of what was added and has faded since.
  const double added = rate == 0 ? 0
                                 : cards_per_second(rate) * static_cast<double>(half_life.count()) /
                                       std::numbers::ln2 * (1 - left);
  return gpu_seconds * left + added;
}

}  // namespace

double usage_at(const TenantUsage& usage, ChargeRate rate, Now now, Seconds half_life) {
  return faded(usage.gpu_seconds, rate, since(usage.boot, now.boot), half_life);
}

TenantUsage counted_up(TenantUsage usage, ChargeRate rate, Now now, Seconds half_life) {
  usage.gpu_seconds = usage_at(usage, rate, now, half_life);
  add_to_days(usage.days, cards_per_second(rate), since(usage.boot, now.boot), now.wall);
  usage.at = now.wall;
  usage.boot = now.boot;
  return usage;
}

TenantUsage after_reboot(TenantUsage usage, Now now, Seconds half_life) {
  const double left = decay_over(std::max(Microseconds{0}, now.wall - usage.at), half_life);
  usage.gpu_seconds *= left;
  for (auto& [project, gpu_seconds] : usage.projects) gpu_seconds *= left;
  usage.at = now.wall;
  usage.boot = now.boot;
  return usage;
}

double used_in_period(const TenantUsage& usage, ChargeRate rate, const GpuHours& hours, Now now) {
  const int today = day_of(now.wall);
  const int first = first_day_of(hours, today);
  // What was not counted yet, as far as it lies within the period.
  const Microseconds within = now.wall.time_since_epoch() - std::chrono::days{first};
  double used = cards_per_second(rate) * seconds_in(std::min(since(usage.boot, now.boot), within));
  for (auto day = usage.days.lower_bound(first); day != usage.days.end() && day->first <= today;
       ++day) {
    used += day->second;
  }
  return used;
}

const std::string& counted_project(const ProjectWeights& weights, const std::string& project) {
  static const std::string kOthers;
  return weights.contains(project) ? project : kOthers;
}

std::map<std::string, double> projects_at(const TenantUsage& usage, const ProjectWeights& weights,
                                          const std::map<std::string, ChargeRate>& rates, Now now,
                                          Seconds half_life) {
  if (weights.empty()) return {};
  std::map<std::string, ChargeRate> running;
  for (const auto& [project, rate] : rates) running[counted_project(weights, project)] += rate;
  // One whose weight was taken away goes on among the others.
  std::map<std::string, double> before;
  for (const auto& [project, seconds] : usage.projects) {
    before[counted_project(weights, project)] += seconds;
    running.try_emplace(counted_project(weights, project), 0);
  }
  const Microseconds passed = since(usage.boot, now.boot);
  std::map<std::string, double> used;
  for (const auto& [project, rate] : running) {
    const double seconds = faded(before[project], rate, passed, half_life);
    if (seconds >= kNegligibleUsage) used.emplace(project, seconds);
  }
  return used;
}

}  // namespace gpusched
