// What administrators set for tenants at run time, and what tenants' limits mean for new work.
#include <utility>

#include "core/apply/transitions.h"

namespace gpusched {

Applied apply_tenant_set(State& state, const TenantSetAsked& asked, Now now) {
  if (!may(asked.actor, Action::kChangeTenant)) {
    return refused(only_others_may(Action::kChangeTenant));
  }
  if (asked.name.empty()) return refused(RefusalKind::kInvalid, "a tenant needs a name");
  if (asked.rule.empty() && !asked.replace) {
    return refused(RefusalKind::kInvalid,
                   "nothing is said about tenant '" + asked.name + "': give a weight or a quota");
  }
  Tenant tenant = state.tenants().counted(asked.name, now, state.rules().usage_half_life);
  if (asked.replace) tenant.rule = {};
  tenant.rule.take(asked.rule);
  state.put(std::move(tenant));
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

Applied apply_tenant_unset(State& state, const TenantUnsetAsked& asked, Now now) {
  if (!may(asked.actor, Action::kChangeTenant)) {
    return refused(only_others_may(Action::kChangeTenant));
  }
  if (state.tenants().rule_of(asked.name).empty()) {
    return refused(RefusalKind::kNotFound,
                   "nothing was set for tenant '" + asked.name + "' at run time");
  }
  // What it has used is not forgotten with its rule.
  Tenant tenant = state.tenants().counted(asked.name, now, state.rules().usage_half_life);
  tenant.rule = {};
  const bool used = tenant.usage.gpu_seconds > 0 || !tenant.usage.days.empty();
  const TenantBook::Entry* entry = state.tenants().find(asked.name);
  if (used || entry->holds.running > 0) {
    state.put(std::move(tenant));
  } else {
    state.remove_tenant(asked.name);
  }
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

std::optional<Refusal> check_queued_quota(const StateView& state, const SubmitAsked& asked) {
  const std::uint64_t limit = state.tenants().terms_of(asked.tenant).queued;
  if (limit == kNoLimit) return std::nullopt;
  const std::uint64_t waiting = state.waiting_of(asked.tenant);
  if (waiting <= limit && asked.total <= limit - waiting) return std::nullopt;
  return Refusal{RefusalKind::kConflict,
                 "tenant '" + asked.tenant + "' may have at most " + std::to_string(limit) +
                     " waiting job" + (limit == 1 ? "" : "s") + "; " + std::to_string(waiting) +
                     (waiting == 1 ? " waits" : " wait") + " already and " +
                     std::to_string(asked.total) + " would join"};
}

std::optional<Refusal> check_priority(const StateView& state, const std::string& tenant,
                                      int priority, const Principal& actor) {
  const int highest = state.tenants().terms_of(tenant).highest_priority;
  if (priority <= highest || may(actor, Action::kExceedLimits)) return std::nullopt;
  return Refusal{RefusalKind::kForbidden,
                 "priority " + std::to_string(priority) + " is above " + std::to_string(highest) +
                     " (" + band_name(highest) + "), the highest for tenant '" + tenant +
                     "'; an administrator may raise that: gpusched tenant set " + tenant +
                     " --highest-priority " + band_name(priority)};
}

std::optional<Refusal> check_priorities(const StateView& state, const Principal& actor,
                                        const std::vector<JobId>& jobs,
                                        std::optional<int> priority) {
  for (const JobId id : jobs) {
    const Job* job = state.find(id);
    if (job == nullptr || !may(actor, Action::kSteerJob, owned_by(job->owner))) continue;
    auto refusal = check_priority(state, job->tenant, priority.value_or(job->priority), actor);
    if (!refusal) continue;
    refusal->message = "job " + to_string(id) + ": " + refusal->message;
    return refusal;
  }
  return std::nullopt;
}

std::shared_ptr<const JobSpec> spec_under_terms(const StateView& state, const SubmitAsked& asked) {
  const std::uint64_t longest = state.tenants().terms_of(asked.tenant).time_limit_s;
  if (longest == kNoLimit || asked.spec->time.limit != Seconds{0}) return asked.spec;
  auto spec = std::make_shared<JobSpec>(*asked.spec);
  spec->time.limit = Seconds{static_cast<std::int64_t>(longest)};
  return spec;
}

}  // namespace gpusched
