#include "metrics/tenant_seconds.h"

#include <algorithm>
#include <chrono>

namespace gpusched::metrics {

double TenantSeconds::Entry::at(Boot now) const {
  const std::chrono::duration<double> passed = std::max(now - since, Boot::duration{0});
  return seconds + static_cast<double>(cards) * passed.count();
}

// Full once, full for ever: whoever came too late stays among the others.
TenantSeconds::Entry& TenantSeconds::entry_of(const std::string& tenant) {
  if (const auto found = entries_.find(tenant); found != entries_.end()) return found->second;
  const std::size_t named = entries_.size() - entries_.count(kOthers);
  return entries_[named < kTenantsMost ? tenant : kOthers];
}

void TenantSeconds::change(const std::string& tenant, std::int64_t cards, Boot now) {
  Entry& entry = entry_of(tenant);
  entry.seconds = entry.at(now);
  entry.since = now;
  entry.cards += cards;
}

std::map<std::string, double> TenantSeconds::sums(Boot now) const {
  std::map<std::string, double> sums;
  for (const auto& [tenant, entry] : entries_) sums.emplace(tenant, entry.at(now));
  return sums;
}

}  // namespace gpusched::metrics
