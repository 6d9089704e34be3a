#include "core/apply/preview.h"

#include "core/apply/apply.h"
#include "core/apply/transitions.h"
#include "core/explain/excerpt.h"
#include "core/state/dependency.h"
#include "core/state/state.h"

namespace gpusched {
namespace {

// Asks the real transition, on a state that holds only what the request names. Jobs that those
// depend on come along, so that dependencies are judged as in the whole state.
State excerpt(const StateView& state, const std::vector<JobId>& jobs, Now now) {
  State part = machine_of(state);
  for (const JobId id : jobs) {
    const Job* job = state.find(id);
    if (job == nullptr || state.in_open_submission(id)) continue;
    for (const Dependency& dependency : job->spec->extras->after) {
      const Job* other = state.find(dependency.job);
      if (other != nullptr && part.find(other->id) == nullptr) part.put(*other, now);
    }
    if (part.find(id) == nullptr) part.put(*job, now);
  }
  return part;
}

struct Preview {
  const StateView& state;
  Now now;

  Answer on_jobs(const std::vector<JobId>& jobs, const Event& event) const {
    State part = excerpt(state, jobs, now);
    return apply(part, event, now).answer;
  }
  Answer operator()(const SubmitAsked& asked) const {
    if (auto refusal = check_submit(state, asked, now)) return *refusal;
    return Submitted{state.next_job(), asked.total, false};
  }
  Answer operator()(const LeasesAsked& asked) const {
    if (auto refusal = check_leases(state, asked, now)) return *refusal;
    return Submitted{state.next_job(), asked.leases.size(), false};
  }
  Answer operator()(const CancelAsked& asked) const { return on_jobs(asked.jobs, asked); }
  Answer operator()(const HoldAsked& asked) const { return on_jobs(asked.jobs, asked); }
  Answer operator()(const ReleaseAsked& asked) const { return on_jobs(asked.jobs, asked); }
  Answer operator()(const PauseAsked& asked) const { return on_jobs(asked.jobs, asked); }
  Answer operator()(const ResumeAsked& asked) const { return on_jobs(asked.jobs, asked); }
  Answer operator()(const RequeueAsked& asked) const { return on_jobs(asked.jobs, asked); }
  Answer operator()(const SetAsked& asked) const {
    std::vector<JobId> jobs = all_waited_for(state, asked.patch.values().extras->after);
    jobs.insert(jobs.end(), asked.jobs.begin(), asked.jobs.end());
    if (asked.patch.before) jobs.push_back(*asked.patch.before);
    return on_jobs(jobs, asked);
  }
  Answer operator()(const AdoptAsked& asked) const {
    if (auto refusal = check_adopt(state, asked, now)) return *refusal;
    return Submitted{state.next_job(), 1, false};
  }
  Answer operator()(const LetGoAsked& asked) const { return on_jobs(asked.jobs, asked); }
  Answer operator()(const GroupSetAsked& asked) const {
    State part;
    for (const auto& [name, group] : state.groups()) part.put(group);
    return apply(part, asked, now).answer;
  }
  Answer operator()(const GroupRemoveAsked& asked) const {
    if (auto refusal = check_group_remove(state, asked)) return *refusal;
    return Changed{};
  }
  Answer operator()(const TenantSetAsked& asked) const {
    State part;
    return apply(part, asked, now).answer;
  }
  Answer operator()(const TenantUnsetAsked& asked) const {
    State part;
    if (const auto rule = state.tenants().rule_of(asked.name); !rule.empty()) {
      part.put(Tenant{.name = asked.name, .rule = rule, .usage = {}});
    }
    return apply(part, asked, now).answer;
  }
  Answer operator()(const ReserveAsked& asked) const {
    return on_jobs({state.active().begin(), state.active().end()}, asked);
  }
  Answer operator()(const UnreserveAsked& asked) const { return on_jobs({}, asked); }
  Answer operator()(const LeaseReleaseAsked& asked) const { return on_jobs(asked.leases, asked); }
  Answer operator()(const LeaseRenewAsked& asked) const { return on_jobs({asked.lease}, asked); }
  Answer operator()(const LeaseResetAsked& asked) const {
    const std::set<JobId>& live = state.leases().live();
    return on_jobs({live.begin(), live.end()}, asked);
  }
  Answer operator()(const TokenMakeAsked& asked) const {
    if (auto refusal = check_token(state, asked, now)) return *refusal;
    return Changed{};
  }
  Answer operator()(const TokenRevokeAsked& asked) const {
    if (auto refusal = check_token_revoke(state, asked)) return *refusal;
    return Changed{};
  }
  Answer operator()(const SilenceAsked& asked) const {
    if (auto refusal = check_silence(state, asked, now)) return *refusal;
    return Changed{};
  }
  Answer operator()(const SilenceEndAsked& asked) const {
    if (auto refusal = check_silence_end(state, asked)) return *refusal;
    return Changed{};
  }
  Answer operator()(const AlarmTestAsked& asked) const {
    if (auto refusal = check_alarm_test(asked)) return *refusal;
    return Changed{};
  }
  Answer operator()(const auto&) const { return {}; }
};

}  // namespace

Answer preview(const StateView& state, const Event& event, Now now) {
  return std::visit(Preview{state, now}, event);
}

}  // namespace gpusched
