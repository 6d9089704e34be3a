#include "core/retention.h"

#include <algorithm>

#include "core/transitions.h"

namespace gpusched {

namespace {

// Leases come and go by the thousand where programs schedule their own workers; they must not push
// the jobs out.
std::vector<JobId> surplus_leases(const State& state, std::size_t most) {
  std::vector<JobId> going;
  const auto& ended = state.leases().ended();
  if (ended.size() <= state.rules().keep_leases_most) return going;
  std::size_t surplus = ended.size() - state.rules().keep_leases_most;
  for (const auto& [ended_at, id] : ended) {
    if (surplus-- == 0 || going.size() == most) break;
    if (state.dependents_of(id).empty()) going.push_back(id);
  }
  return going;
}

}  // namespace

std::optional<Wall> next_removal(const State& state) {
  if (!surplus_leases(state, 1).empty()) return Wall::min();
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
  std::vector<JobId> going = surplus_leases(state, due.most);
  for (const auto& [ended_at, id] : state.ended()) {
    if (going.size() >= due.most) break;
    if (surplus == 0 && ended_at + rules.keep_ended_for > by) break;
    if (surplus > 0) --surplus;
    // Somebody still has to be told how it ended.
    const bool named = std::ranges::find(going, id) != going.end();
    if (!named && state.dependents_of(id).empty()) going.push_back(id);
  }
  Applied applied;
  for (const JobId id : going) {
    // A key lives as long as the job it names.
    const Job& job = *state.find(id);
    if (!job.spec->rare->key.empty()) {
      const Submission* submission = state.find_submission(job.tenant, job.spec->rare->key);
      if (submission != nullptr && submission->first == id) state.remove_submission(submission->id);
    }
    const bool has_directory = !job.spec->lease || job.moves > 0;
    state.remove(id);
    if (has_directory) applied.effects.emplace_back(ForgetJob{id});
  }
  return applied;
}

}  // namespace gpusched
