// The state's tenants: put through the same door as everything else, and their usage counted
// whenever what they hold changes.
#include <utility>

#include "core/state/state.h"

namespace gpusched {
namespace {

const Grant* active_grant(const Job* job) {
  return job != nullptr && job->active() ? grant_of(*job) : nullptr;
}

// Nothing is left that anybody could ask for.
bool is_forgotten(const Tenant& tenant) {
  constexpr double kNothing = 1e-3;
  return tenant.rule.empty() && tenant.usage.gpu_seconds < kNothing && tenant.usage.days.empty();
}

}  // namespace

std::uint64_t StateView::waiting_of(const std::string& tenant) const {
  const TenantBook::Entry* entry = tenants_.find(tenant);
  std::uint64_t waiting = entry != nullptr ? entry->waiting : 0;
  for (const auto& [first, range] : staged_) {
    const Job* job = find(first);
    if (job != nullptr && job->tenant == tenant) {
      waiting += number_of(range.end) - number_of(first);
    }
  }
  return waiting;
}

void State::configure_tenants(ConfiguredTenants configured) {
  tenants_.configure(std::move(configured));
}

// Before a job's grant changes: what was held until now becomes usage.
void State::count_usage(const Job* before, const Job& job, Now now) {
  const Grant* was = active_grant(before);
  const Grant* will_be = active_grant(&job);
  const bool moved = before != nullptr && aside_phase(*before) != aside_phase(job);
  if (was == will_be) return;
  if (was != nullptr && will_be != nullptr && *was == *will_be && !moved) return;
  if (!tenants_.any_active()) usage_counted_ = now.boot;
  put(tenants_.counted(job.tenant, now, rules_.usage_half_life));
}

void State::count_usage_of_all(Now now) {
  usage_counted_ = now.boot;
  std::vector<Tenant> counted;
  for (const auto& [name, entry] : tenants_.entries()) {
    if (entry.kept) counted.push_back(tenants_.counted(name, now, rules_.usage_half_life));
  }
  for (Tenant& tenant : counted) {
    const TenantBook::Entry& entry = *tenants_.find(tenant.name);
    if (entry.rate != 0) {
      put(std::move(tenant));
    } else if (is_forgotten(tenant)) {
      remove_tenant(tenant.name);
    }
  }
}

}  // namespace gpusched
