// The books, compared: what follows from the rows must not depend on how they came to be.
#include <algorithm>

#include "core/state/state.h"

namespace gpusched {
namespace {

bool same_holds(const CardHolds& a, const CardHolds& b) {
  return a.vram_bytes == b.vram_bytes && a.share_percent == b.share_percent && a.jobs == b.jobs &&
         a.whole == b.whole;
}

bool same_place(const Pending& a, const Pending& b, JobId id) {
  if (a.contains(id) != b.contains(id)) return false;
  return !a.contains(id) ||
         (a.key_of(id) == b.key_of(id) && a.shape_of(id).key == b.shape_of(id).key);
}

bool same_entry(const TenantBook::Entry& a, const TenantBook::Entry& b) {
  return a.terms == b.terms && a.rate == b.rate && a.holds == b.holds && a.waiting == b.waiting &&
         a.projects == b.projects && a.project_rates == b.project_rates;
}

template <class Map>
Map sorted(Map lists) {
  for (auto& [key, list] : lists) std::ranges::sort(list);
  return lists;
}

}  // namespace

std::vector<std::string> State::differing_books(const State& other) const {
  std::vector<std::string> differ;
  const auto compare = [&](const char* name, bool same) {
    if (!same) differ.emplace_back(name);
  };
  compare("counts", counts_ == other.counts_);
  compare("active", active_ == other.active_ && aside_ == other.aside_);
  compare("bands", active_in_band_ == other.active_in_band_);
  const auto same_in_queue = [&](const auto& entry) {
    return same_place(pending_, other.pending_, entry.first);
  };
  compare("pending", pending_.size() == other.pending_.size() &&
                         std::ranges::all_of(tables_.jobs.rows, same_in_queue));
  compare("asleep", asleep_ == other.asleep_);
  compare("begins", begins_ == other.begins_ && retries_ == other.retries_);
  compare("expiries", expiries_ == other.expiries_);
  compare("fresh", fresh_ == other.fresh_ && overdue_ == other.overdue_);
  compare("deadlines", deadlines_ == other.deadlines_ && deadline_of_ == other.deadline_of_);
  compare("ended", ended_ == other.ended_);
  compare("leases", leases_ == other.leases_);
  compare("dependents", sorted(dependents_) == sorted(other.dependents_));
  compare("groups", active_in_group_ == other.active_in_group_ &&
                        waiting_in_group_ == other.waiting_in_group_);
  compare("arrays", array_counts_ == other.array_counts_);
  compare("sweeps", sweeps_ == other.sweeps_ && guarded_ == other.guarded_);
  compare("submissions", keys_ == other.keys_ && staged_ == other.staged_);
  compare("cards", std::ranges::equal(card_holds_, other.card_holds_, same_holds));
  compare("outbox", outbox_ == other.outbox_);
  compare("host", host_holds_ == other.host_holds_);
  compare("tenants", std::ranges::equal(tenants_.entries(), other.tenants_.entries(),
                                        [](const auto& a, const auto& b) {
                                          return a.first == b.first &&
                                                 same_entry(a.second, b.second);
                                        }));
  return differ;
}

}  // namespace gpusched
