#include "core/state/tenant_book.h"

#include <utility>

#include "base/check.h"

namespace gpusched {
namespace {

void set_rule(TenantBook::Entry& entry, TenantRule rule) {
  entry.terms = terms_from(rule);
  entry.projects = std::move(rule.projects).value_or(ProjectWeights{});
}

}  // namespace

const TenantBook::Entry* TenantBook::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

TenantRule TenantBook::rule_of(const std::string& name) const {
  const Entry* entry = find(name);
  return entry != nullptr && entry->kept ? entry->kept->rule : TenantRule{};
}

// The nearer word counts: run time before configuration, the tenant's own before the default.
TenantRule TenantBook::work_out(const std::string& name) const {
  TenantRule rule;
  for (const std::string& from : {std::string(kDefaultTenant), name}) {
    const auto configured = configured_.rules.find(from);
    if (configured != configured_.rules.end()) rule.take(configured->second);
    rule.take(rule_of(from));
  }
  return rule;
}

TenantTerms TenantBook::terms_of(const std::string& name) const {
  const Entry* entry = find(name);
  return entry != nullptr ? entry->terms : terms_from(work_out(name));
}

const std::string& TenantBook::tenant_of(const std::string& user) const {
  const auto found = configured_.tenant_of_user.find(user);
  if (found != configured_.tenant_of_user.end()) return found->second;
  const auto by_group = by_group_.find(user);
  return by_group == by_group_.end() ? user : by_group->second;
}

void TenantBook::learn(const std::string& user, const std::string& tenant) {
  if (tenant.starts_with(kGroupMark)) by_group_[user] = tenant;
}

Tenant TenantBook::counted(const std::string& name, Now now, Seconds half_life) const {
  const Entry* entry = find(name);
  Tenant tenant{.name = name, .rule = {}, .usage = {}};
  if (entry == nullptr || !entry->kept) {
    tenant.usage.at = now.wall;
    tenant.usage.boot = now.boot;
    return tenant;
  }
  tenant = *entry->kept;
  tenant.usage.projects =
      projects_at(tenant.usage, entry->projects, entry->project_rates, now, half_life);
  tenant.usage = counted_up(std::move(tenant.usage), entry->rate, now, half_life);
  return tenant;
}

TenantBook::Entry& TenantBook::entry_of(const std::string& name) {
  const auto [entry, fresh] = entries_.try_emplace(name);
  if (fresh) set_rule(entry->second, work_out(name));
  return entry->second;
}

void TenantBook::drop_if_idle(std::map<std::string, Entry>::iterator entry) {
  const Entry& one = entry->second;
  if (!one.kept && one.waiting == 0 && one.holds.running == 0) entries_.erase(entry);
}

void TenantBook::refresh_terms() {
  for (auto& [name, entry] : entries_) set_rule(entry, work_out(name));
  any_quota_ = false;
  for (const auto& [name, rule] : configured_.rules) {
    any_quota_ = any_quota_ || terms_from(rule).limits_starts();
  }
  for (const auto& [name, entry] : entries_) {
    any_quota_ = any_quota_ || entry.terms.limits_starts();
  }
}

void TenantBook::configure(ConfiguredTenants configured) {
  configured_ = std::move(configured);
  if (configured_.groups.empty()) by_group_.clear();
  refresh_terms();
}

void TenantBook::keep(Tenant tenant) {
  const bool new_rule = !(rule_of(tenant.name) == tenant.rule);
  Entry& entry = entry_of(tenant.name);
  entry.kept = std::move(tenant);
  if (new_rule) refresh_terms();
}

void TenantBook::forget(const std::string& name) {
  const auto entry = entries_.find(name);
  if (entry == entries_.end() || !entry->second.kept) return;
  const bool had_rule = !entry->second.kept->rule.empty();
  entry->second.kept.reset();
  drop_if_idle(entry);
  if (had_rule) refresh_terms();
}

void TenantBook::remove_waiting(const std::string& name) {
  const auto entry = entries_.find(name);
  CHECK(entry != entries_.end() && entry->second.waiting > 0);
  --entry->second.waiting;
  drop_if_idle(entry);
}

void TenantBook::charge(Entry& entry, const std::string& project, ChargeRate rate) {
  entry.rate += rate;
  if (rate == 0) return;
  const auto of_project = entry.project_rates.try_emplace(project, 0).first;
  of_project->second += rate;
  if (of_project->second == 0) entry.project_rates.erase(of_project);
}

void TenantBook::add_active(const Job& job, const std::vector<Card>& cards) {
  Entry& entry = entry_of(job.tenant);
  // What is moved aside counts against quotas, since it will return; it is not charged.
  entry.holds.add(*grant_of(job));
  const ChargeRate rate = charge_rate_of(held_by(job), cards);
  charge(entry, job.spec->project, rate);
  rates_[job.id] = rate;
}

void TenantBook::remove_active(const Job& job) {
  const auto entry = entries_.find(job.tenant);
  const auto rate = rates_.find(job.id);
  CHECK(entry != entries_.end() && rate != rates_.end());
  entry->second.holds.remove(*grant_of(job));
  charge(entry->second, job.spec->project, -rate->second);
  rates_.erase(rate);
  drop_if_idle(entry);
}

void TenantBook::recharge(const Job& job, const std::vector<Card>& cards) {
  ChargeRate& rate = rates_.at(job.id);
  Entry& entry = entries_.at(job.tenant);
  charge(entry, job.spec->project, -rate);
  rate = charge_rate_of(held_by(job), cards);
  charge(entry, job.spec->project, rate);
}

}  // namespace gpusched
