#include "core/retention.h"

#include "core/transitions.h"

namespace gpusched {

std::optional<Wall> next_removal(const State& state) {
  std::size_t surplus = state.ended().size() > state.rules().keep_ended_most
                            ? state.ended().size() - state.rules().keep_ended_most
                            : 0;
  for (const auto& [ended_at, id] : state.ended()) {
    // What somebody still waits for stays, however old; it must not count as due for ever.
    if (state.dependents_of(id).empty()) {
      return surplus > 0 ? Wall::min() : ended_at + state.rules().keep_ended_for;
    }
    if (surplus > 0) --surplus;
  }
  return std::nullopt;
}

Applied apply_retention(State& state, const RetentionDue& due, Now now) {
  const Rules& rules = state.rules();
  const Wall by = due.by.value_or(now.wall);
  std::size_t surplus = state.ended().size() > rules.keep_ended_most
                            ? state.ended().size() - rules.keep_ended_most
                            : 0;
  std::vector<JobId> going;
  for (const auto& [ended_at, id] : state.ended()) {
    if (going.size() == due.most) break;
    if (surplus == 0 && ended_at + rules.keep_ended_for > by) break;
    if (surplus > 0) --surplus;
    // Somebody still has to be told how it ended.
    if (state.dependents_of(id).empty()) going.push_back(id);
  }
  Applied applied;
  for (const JobId id : going) {
    // A key lives as long as the job it names.
    const Job& job = *state.find(id);
    if (!job.spec->key.empty()) {
      const Submission* submission = state.find_submission(job.tenant, job.spec->key);
      if (submission != nullptr && submission->first == id) state.remove_submission(submission->id);
    }
    state.remove(id);
    applied.effects.emplace_back(ForgetJob{id});
  }
  return applied;
}

}  // namespace gpusched
