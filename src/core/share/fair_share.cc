#include "core/share/fair_share.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "core/state/state.h"

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
    while (queue != end && queue->first.tenant < name) ++queue;
    Share share{.tenant = &name, .demand = queue != end && queue->first.tenant == name};
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
    if (seconds >= kNegligible) used.emplace(project, seconds);
  }
  return used;
}

std::vector<ProjectShare> project_shares_of(const State& state, const std::string& tenant,
                                            Now now) {
  const TenantBook::Entry* entry = state.tenants().find(tenant);
  if (entry == nullptr || entry->projects.empty()) return {};
  const ProjectWeights& weights = entry->projects;
  std::map<std::string, double> used;
  if (entry->kept) {
    used = projects_at(entry->kept->usage, weights, entry->project_rates, now,
                       state.rules().usage_half_life);
  }
  std::set<std::string> wanted;
  const auto& queues = state.pending().queues();
  for (auto queue = queues.lower_bound({tenant, ""});
       queue != queues.end() && queue->first.tenant == tenant; ++queue) {
    wanted.insert(counted_project(weights, queue->first.project));
  }
  ProjectWeights all = weights;
  all.try_emplace("", 1.0);
  std::vector<ProjectShare> shares;
  double usage_of_all = 0;
  double weight_of_all = 0;
  for (const auto& [project, weight] : all) {
    ProjectShare share{.project = project, .weight = weight, .demand = wanted.contains(project)};
    if (const auto found = used.find(project); found != used.end()) share.usage = found->second;
    const bool takes_part = share.demand || share.usage > 0;
    usage_of_all += share.usage;
    weight_of_all += takes_part ? weight : 0;
    if (takes_part || weights.contains(project)) shares.push_back(std::move(share));
  }
  for (ProjectShare& share : shares) {
    if (share.demand || share.usage > 0) share.due = share.weight / weight_of_all;
    if (usage_of_all > 0) share.got = share.usage / usage_of_all;
  }
  return shares;
}

namespace {

using Queues = std::map<QueueKey, Pending::Queue>;

// Of the queues of one tenant, from `first` on: which of them come before the others.
void add_project_standings(const State& state, Queues::const_iterator first, std::size_t count,
                           std::int8_t of_tenant, Now now, Standings& standings) {
  const std::string& tenant = first->first.tenant;
  const std::vector<ProjectShare> shares =
      count > 1 ? project_shares_of(state, tenant, now) : std::vector<ProjectShare>{};
  if (shares.empty()) {
    standings.insert(standings.end(), count, of_tenant);
    return;
  }
  const ProjectWeights& weights = state.tenants().find(tenant)->projects;
  for (; count > 0; --count, ++first) {
    const std::string& counted = counted_project(weights, first->first.project);
    const auto share = std::ranges::find(shares, counted, &ProjectShare::project);
    standings.push_back(static_cast<std::int8_t>(of_tenant + (share->below() ? 0 : 1)));
  }
}

}  // namespace

Standings standings_of(const State& state, Now now) {
  const Queues& queues = state.pending().queues();
  if (queues.size() < 2) return Standings(queues.size(), 0);
  Standings standings;
  standings.reserve(queues.size());
  // With one tenant in the queue there is nobody to come before.
  const bool alone = queues.begin()->first.tenant == std::prev(queues.end())->first.tenant;
  const std::vector<Share> shares = alone ? std::vector<Share>{} : shares_of(state, now);
  auto share = shares.begin();
  for (auto queue = queues.begin(); queue != queues.end();) {
    const auto first = queue;
    std::size_t count = 0;
    for (; queue != queues.end() && queue->first.tenant == first->first.tenant; ++queue) ++count;
    while (share != shares.end() && *share->tenant != first->first.tenant) ++share;
    const bool below = alone || (share != shares.end() && share->below());
    add_project_standings(state, first, count, below ? 0 : 2, now, standings);
  }
  return standings;
}

}  // namespace gpusched
