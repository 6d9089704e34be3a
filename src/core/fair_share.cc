#include "core/fair_share.h"

#include <algorithm>
#include <cmath>

#include "core/state.h"

namespace gpusched {
namespace {

// Less than this is nothing: it would only keep long-gone tenants in the reckoning.
constexpr double kNegligible = 1e-3;
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

double usage_at(const TenantUsage& usage, ChargeRate rate, Now now, Seconds half_life) {
  const double left = decay_over(since(usage.boot, now.boot), half_life);
  // The integral of what was added and has faded since.
  const double added = rate == 0 ? 0
                                 : cards_per_second(rate) * static_cast<double>(half_life.count()) /
                                       std::numbers::ln2 * (1 - left);
  return usage.gpu_seconds * left + added;
}

TenantUsage counted_up(TenantUsage usage, ChargeRate rate, Now now, Seconds half_life) {
  usage.gpu_seconds = usage_at(usage, rate, now, half_life);
  add_to_days(usage.days, cards_per_second(rate), since(usage.boot, now.boot), now.wall);
  usage.at = now.wall;
  usage.boot = now.boot;
  return usage;
}

TenantUsage after_reboot(TenantUsage usage, Now now, Seconds half_life) {
  usage.gpu_seconds *= decay_over(std::max(Microseconds{0}, now.wall - usage.at), half_life);
  usage.at = now.wall;
  usage.boot = now.boot;
  return usage;
}

double used_in_period(const TenantUsage& usage, ChargeRate rate, const GpuHours& hours, Now now) {
  std::map<int, double> days = usage.days;
  add_to_days(days, cards_per_second(rate), since(usage.boot, now.boot), now.wall);
  const int today = day_of(now.wall);
  double used = 0;
  for (auto day = days.lower_bound(first_day_of(hours, today)); day != days.end(); ++day) {
    if (day->first <= today) used += day->second;
  }
  return used;
}

std::vector<Share> shares_of(const State& state, Now now) {
  std::vector<Share> shares;
  std::vector<double> weights;
  const auto& entries = state.tenants().entries();
  shares.reserve(entries.size());
  weights.reserve(entries.size());
  double usage_of_all = 0;
  double weight_of_all = 0;
  auto queue = state.pending().queues().begin();
  const auto end = state.pending().queues().end();
  for (const auto& [name, entry] : entries) {
    while (queue != end && queue->first < name) ++queue;
    Share share{.tenant = &name, .demand = queue != end && queue->first == name};
    if (entry.kept) {
      share.usage = usage_at(entry.kept->usage, entry.rate, now, state.rules().usage_half_life);
    }
    if (share.usage < kNegligible && !share.demand) continue;
    usage_of_all += share.usage;
    weight_of_all += entry.terms.weight;
    shares.push_back(share);
    weights.push_back(entry.terms.weight);
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i].due = weights[i] / weight_of_all;
    if (usage_of_all > 0) shares[i].got = shares[i].usage / usage_of_all;
  }
  return shares;
}

Standings standings_of(const State& state, Now now) {
  const std::size_t queues = state.pending().queues().size();
  // With one tenant in the queue there is nobody to come before.
  if (queues < 2) return Standings(queues, 0);
  Standings standings;
  standings.reserve(queues);
  for (const Share& share : shares_of(state, now)) {
    if (share.demand) standings.push_back(share.below() ? 0 : 1);
  }
  return standings;
}

}  // namespace gpusched
