#include "core/share/fair_share.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/state/state_view.h"

namespace gpusched {
std::vector<Share> shares_of(const StateView& state, Now now) {
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
    if (share.usage < kNegligibleUsage && !share.demand) continue;
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

std::vector<ProjectShare> project_shares_of(const StateView& state, const std::string& tenant,
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
void add_project_standings(const StateView& state, Queues::const_iterator first, std::size_t count,
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

Standings standings_of(const StateView& state, Now now) {
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
