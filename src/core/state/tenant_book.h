// The tenants of a state: what is kept of each, the terms in force, and what its jobs hold and
// wait for. Terms are worked out when a rule changes, so that a turn only looks them up.
// State puts and removes through its own door; nobody else changes this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/model/tenant.h"
#include "core/state/usage.h"

namespace gpusched {

class TenantBook {
 public:
  struct Entry {
    std::optional<Tenant> kept;  // The durable part, if there is one.
    TenantTerms terms;
    ChargeRate rate = 0;  // Of what its jobs hold.
    TenantHolds holds;
    std::uint64_t waiting = 0;  // Queued and held jobs.
    ProjectWeights projects;    // Empty: they have no shares.
    // Of what its jobs hold, by their own project; only where something is held.
    std::map<std::string, ChargeRate> project_rates;
  };

  // Tenants that have jobs, or of whom something is kept.
  const std::map<std::string, Entry>& entries() const { return entries_; }
  const Entry* find(const std::string& name) const;
  const ConfiguredTenants& configured() const { return configured_; }
  // The terms of a tenant, also of one that has no entry.
  TenantTerms terms_of(const std::string& name) const;
  // What was set at run time; empty: nothing.
  TenantRule rule_of(const std::string& name) const;
  // Whose tenant a user is, as far as is known here: of who is in a Unix group that is a tenant,
  // the one for which their last job was submitted.
  const std::string& tenant_of(const std::string& user) const;
  // False: no tenant has a quota that a start could violate.
  bool any_quota() const { return any_quota_; }
  bool any_active() const { return !rates_.empty(); }
  // The tenant's durable part, counted up to `now`.
  Tenant counted(const std::string& name, Now now, Seconds half_life) const;

  // --- Change; State alone -------------------------------------------------------------------
  void configure(ConfiguredTenants configured);
  void learn(const std::string& user, const std::string& tenant);
  void keep(Tenant tenant);
  void forget(const std::string& name);
  void add_waiting(const std::string& name) { ++entry_of(name).waiting; }
  void remove_waiting(const std::string& name);
  void add_active(const Job& job, const std::vector<Card>& cards);
  void remove_active(const Job& job);
  // The cards are others now: what jobs hold of them is worked out again.
  void recharge(const Job& job, const std::vector<Card>& cards);

 private:
  Entry& entry_of(const std::string& name);
  void drop_if_idle(std::map<std::string, Entry>::iterator entry);
  TenantRule work_out(const std::string& name) const;
  static void charge(Entry& entry, const std::string& project, ChargeRate rate);
  void refresh_terms();

  ConfiguredTenants configured_;
  std::map<std::string, std::string> by_group_;  // Of users.
  std::map<std::string, Entry> entries_;
  std::unordered_map<JobId, ChargeRate> rates_;  // Of active jobs, as they were added.
  bool any_quota_ = false;
};

}  // namespace gpusched
