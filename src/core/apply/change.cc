// What verbs that change jobs share: each works on a job whatever state it is in, or says why not.
#include "core/apply/transitions.h"

namespace gpusched {
std::optional<Refusal> refuse_again(const StateView& state, const Principal& actor,
                                    const std::vector<JobId>& jobs,
                                    const std::function<bool(const Job&)>& concerns) {
  if (may(actor, Action::kExceedLimits)) return std::nullopt;
  if (auto refusal = refuse_ids(state, actor, jobs, Action::kSteerJob)) return refusal;
  std::vector<JobId> concerned;
  for (const JobId id : jobs) {
    if (concerns(*state.find(id))) concerned.push_back(id);
  }
  return check_priorities(state, actor, concerned);
}

Refusal only_others_may(Action action) {
  return {RefusalKind::kForbidden,
          "only " + std::string(who_may(action)) + " may " + std::string(rights_row(action).what)};
}

std::optional<Refusal> refuse_ids(const StateView& state, const Principal& actor,
                                  const std::vector<JobId>& jobs, Action action) {
  for (const JobId id : jobs) {
    const Job* job = state.find(id);
    if (job == nullptr || state.in_open_submission(id)) {
      return Refusal{RefusalKind::kNotFound, "there is no job " + to_string(id)};
    }
    const Subject subject = owned_by(job->owner);
    if (may(actor, action, subject)) continue;
    const std::string name = "job " + to_string(id);
    if (owns(actor, subject)) {
      return Refusal{RefusalKind::kForbidden, name + " is yours, but you may only look at it here"};
    }
    const bool steers = action == Action::kSteerJob;
    return Refusal{RefusalKind::kForbidden, name + " belongs to " + job->owner.user +
                                                "; only its owner" + (steers ? ", " : " or ") +
                                                std::string(who_may(action)) + " may " +
                                                (steers ? "do that" : "change it")};
  }
  return std::nullopt;
}

Applied change_each(const StateView& state, const Principal& actor, const std::vector<JobId>& jobs,
                    const ChangeOne& change, Action action) {
  Applied applied;
  if (auto refusal = refuse_ids(state, actor, jobs, action)) return refused(std::move(*refusal));
  Changed changed;
  for (const JobId id : jobs) {
    std::string why_not = change(*state.find(id), applied.effects);
    if (why_not.empty()) {
      changed.jobs.push_back(id);
    } else {
      changed.unchanged.emplace_back(id, std::move(why_not));
    }
  }
  applied.answer = std::move(changed);
  return applied;
}

}  // namespace gpusched
