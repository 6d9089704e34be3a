#include "core/preempt/over_quota.h"

#include <algorithm>

namespace gpusched {

TenantHolds holds_here(const StateView& state, const std::string& tenant) {
  TenantHolds holds;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (job.tenant != tenant) continue;
    // On its way out it is as good as gone.
    const bool stays = !is_aside(job) || stands_still(job);
    if (!stays && aside_phase(job) != AsidePhase::kResuming) continue;
    const auto* running = std::get_if<Running>(&job.state);
    if (running == nullptr || running->stopping == StopReason::kNone) holds.add(*grant_of(job));
  }
  return holds;
}

bool exceeds_quota(const TenantHolds& holds, const TenantTerms& terms) {
  return holds.cards > terms.cards || holds.vram_bytes > terms.vram_bytes ||
         holds.running > terms.running;
}

bool would_exceed_quota(const StateView& state, const Job& job) {
  if (!state.rules().room.over_quota || !state.tenants().any_quota()) return false;
  TenantHolds holds = holds_here(state, job.tenant);
  holds.add(*grant_of(job));
  return exceeds_quota(holds, state.tenants().terms_of(job.tenant));
}

std::vector<Preempt> relieve_quotas(const StateView& state, Now now) {
  std::vector<Preempt> plans;
  if (!state.rules().room.over_quota || state.rules().preemption == Preemption::kOff) return plans;
  if (!state.tenants().any_quota()) return plans;
  for (const auto& [name, entry] : state.tenants().entries()) {
    if (!exceeds_quota(entry.holds, entry.terms)) continue;
    if (!exceeds_quota(holds_here(state, name), entry.terms)) continue;
    const std::uint64_t ram = ram_for_moves(state, state.host_holds());
    std::optional<Candidate> least;
    for (const JobId id : state.active()) {
      const Job& job = *state.find(id);
      if (job.tenant != name || !is_movable(state, job, now)) continue;
      const auto one = leaving_candidate(state, job, ram, now);
      if (one && (!least || less_harm(*one, *least))) least = one;
    }
    if (least) plans.push_back({.for_job = {}, .victims = {least->victim}});
  }
  return plans;
}

bool still_over_quota(const StateView& state, const Preempt& plan, Now now) {
  return std::ranges::all_of(plan.victims, [&](const Victim& victim) {
    const Job* job = state.find(victim.job);
    return job != nullptr && is_movable(state, *job, now) &&
           exceeds_quota(holds_here(state, job->tenant), state.tenants().terms_of(job->tenant));
  });
}

}  // namespace gpusched
