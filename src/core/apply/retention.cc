#include "core/apply/retention.h"

#include <algorithm>

#include "core/apply/transitions.h"

namespace gpusched {

namespace {

// What goes because there are too many. Leases come and go by the thousand where programs schedule
// their own workers; they must not push the jobs out.
std::vector<JobId> surplus(const StateView& state, std::size_t most) {
  const auto waited_for = [&](JobId id) { return !state.dependents_of(id).empty(); };
  const Rules& rules = state.rules();
  std::vector<JobId> going =
      state.leases().ended().surplus(rules.keep_leases_most, most, waited_for);
  for (const JobId id : state.ended_book().surplus(rules.keep_ended_most, most, waited_for)) {
    if (going.size() == most) break;
    if (std::ranges::find(going, id) == going.end()) going.push_back(id);
  }
  return going;
}

}  // namespace

std::optional<Wall> next_removal(const StateView& state) {
  if (!surplus(state, 1).empty()) return Wall::min();
  for (const auto& [ended_at, id] : state.ended()) {
    // What somebody still waits for stays, however old; it must not count as due for ever.
    if (state.dependents_of(id).empty()) return ended_at + state.rules().keep_ended_for;
  }
  return std::nullopt;
}

Applied apply_retention(State& state, const RetentionDue& due, Now now) {
  const Wall by = due.by.value_or(now.wall);
  std::vector<JobId> going = surplus(state, due.most);
  for (const auto& [ended_at, id] : state.ended()) {
    if (going.size() >= due.most || ended_at + state.rules().keep_ended_for > by) break;
    // Somebody still has to be told how it ended.
    const bool named = std::ranges::find(going, id) != going.end();
    if (!named && state.dependents_of(id).empty()) going.push_back(id);
  }
  Applied applied;
  for (const JobId id : going) {
    // A key lives as long as the job it names.
    const Job& job = *state.find(id);
    if (!job.spec->extras->key.empty()) {
      const Submission* submission = state.find_submission(job.owner.user, job.spec->extras->key);
      if (submission != nullptr && submission->first == id) state.remove_submission(submission->id);
    }
    const bool has_directory = kind_of(job).has_shim || job.moves > 0;
    state.remove(id);
    if (has_directory) applied.effects.emplace_back(ForgetJob{id});
  }
  return applied;
}

}  // namespace gpusched
