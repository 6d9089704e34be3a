// `set`: changes what was asked of jobs that wait, and the few things that can change while a job
// runs. Specs are shared and immutable, so the jobs of an array get one new spec together.
#include <map>

#include "core/apply/apply.h"
#include "core/apply/transitions.h"

namespace gpusched {

// Waiting, such a job would have to wait; running, nothing would stop it.
bool beyond_longest(const StateView& state, const Job& job, Seconds limit) {
  const std::uint64_t longest = state.tenants().terms_of(job.tenant).time_limit_s;
  return longest != kNoLimit &&
         (limit == Seconds{0} || static_cast<std::uint64_t>(limit.count()) > longest);
}

std::optional<Refusal> renew_specs(const StateView& state, const SetAsked& asked,
                                   RenewedSpecs& renewed) {
  if (auto refusal = refuse_ids(state, asked.actor, asked.jobs)) return refusal;
  if (asked.patch.priority) {
    if (auto refusal = check_priorities(state, asked.actor, asked.jobs, asked.patch.priority)) {
      return refusal;
    }
  }
  if (!asked.patch.changes_spec()) return std::nullopt;
  for (const JobId id : asked.jobs) {
    const auto& spec = state.find(id)->spec;
    if (renewed.contains(spec)) continue;
    auto next = std::make_shared<JobSpec>(asked.patch.applied_to(*spec));
    if (asked.patch.has(&JobSpec::group)) {
      const std::string& user = state.find(id)->owner.user;
      next->group = group_for(state, user, next->group);
      if (auto refusal = check_group(user, next->group)) return refusal;
    }
    if (auto refusal = check_needs(state, next->needs)) return refusal;
    if (const std::uint64_t limit = next->extras->vram_limit_bytes;
        limit > 0 && limit < next->needs.vram_bytes) {
      return Refusal{RefusalKind::kInvalid,
                     "the VRAM limit must not be less than the VRAM that is asked for"};
    }
    renewed.emplace(spec, std::move(next));
  }
  return std::nullopt;
}

Applied apply_set(State& state, const SetAsked& asked, Now now) {
  Applied applied;
  RenewedSpecs own;
  RenewedSpecs& renewed = asked.renewed ? *asked.renewed : own;
  if (auto refusal = renew_specs(state, asked, renewed)) {
    applied.answer = *refusal;
    return applied;
  }
  const bool gives_limit = asked.patch.has(&TimeRule::limit);
  Changed changed;
  for (const JobId id : asked.jobs) {
    Job job = *state.find(id);
    if (job.ended()) {
      changed.unchanged.emplace_back(id, "has already ended");
      continue;
    }
    if (job.active() && asked.patch.only_for_waiting()) {
      changed.unchanged.emplace_back(
          id, std::string("is ") + state_name(job.state) +
                  "; needs, group, begin and expiry can change only while it waits");
      continue;
    }
    if (job.active() && gives_limit && !may(asked.actor, Action::kExceedLimits) &&
        beyond_longest(state, job, asked.patch.values().time.limit)) {
      changed.unchanged.emplace_back(id, "runs, and its tenant's longest time limit is shorter");
      continue;
    }
    if (asked.patch.priority) job.priority = *asked.patch.priority;
    if (const auto found = renewed.find(job.spec); found != renewed.end()) job.spec = found->second;
    const bool tell_shim = job.active() && gives_limit && kind_of(job).has_shim;
    const AttemptId attempt = job.current_attempt();
    state.note(job, "changed", "changed on request", now);
    if (asked.patch.has(&SpecExtras::vram_limit_bytes)) limit_changed(state, job, now);
    state.put(std::move(job), now);
    changed.jobs.push_back(id);
    if (tell_shim) applied.effects.emplace_back(ChangeTime{attempt});
  }
  applied.answer = std::move(changed);
  return applied;
}

}  // namespace gpusched
