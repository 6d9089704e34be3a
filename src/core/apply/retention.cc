#include "core/apply/retention.h"

#include <algorithm>
#include <climits>
#include <set>

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

std::optional<Wall> next_work_due(const StateView& state) {
  const auto& rows = state.work();
  std::optional<Wall> due;
  if (rows.empty()) return due;
  const auto consider = [&due](const WorkKey& key, Seconds after) {
    const Wall at = begin_of_day(day_after_month(key.day)) + after;
    if (!due || at < *due) due = at;
  };
  const Rules& rules = state.rules();
  const WorkKey& first = rows.begin()->first;
  if (!first.month) consider(first, std::min(rules.work_daily_for, rules.work_keep_for));
  const auto months = rows.lower_bound(WorkKey{.month = true, .day = INT_MIN});
  if (months != rows.end()) consider(months->first, rules.work_keep_for);
  return due;
}

std::optional<Wall> next_retention(const StateView& state) {
  const std::optional<Wall> job = next_removal(state);
  const std::optional<Wall> work = next_work_due(state);
  return job && work ? std::min(*job, *work) : job ? job : work;
}

namespace {

// A part at a time: in between both are there, which adds up to the same.
void tidy_work(State& state, Wall by, std::size_t most) {
  const Rules& rules = state.rules();
  std::set<int> months;
  for (; most > 0; --most) {
    const auto& rows = state.work();
    if (rows.empty()) break;
    const auto old = rows.lower_bound(WorkKey{.month = true, .day = INT_MIN});
    const auto is_due = [&](const WorkKey& key, Seconds after) {
      return begin_of_day(day_after_month(key.day)) + after <= by;
    };
    if (old != rows.end() && is_due(old->first, rules.work_keep_for)) {
      state.remove<WorkSum>(WorkKey(old->first));
      continue;
    }
    const WorkKey key = rows.begin()->first;
    if (key.month || !is_due(key, std::min(rules.work_daily_for, rules.work_keep_for))) break;
    WorkKey into = key;
    into.month = true;
    into.day = month_of_day(key.day);
    months.insert(into.day);
    state.merge_work(key, std::move(into));
  }
  for (const int month : months) state.fold_work(true, month);
}

}  // namespace

Applied apply_retention(State& state, const RetentionDue& due, Now now) {
  const Wall by = due.by.value_or(now.wall);
  std::vector<JobId> going = surplus(state, due.most);
  for (const auto& [ended_at, id] : state.ended()) {
    if (going.size() >= due.most || ended_at + state.rules().keep_ended_for > by) break;
    // Somebody still has to be told how it ended.
    const bool named = std::ranges::find(going, id) != going.end();
    if (!named && state.dependents_of(id).empty()) going.push_back(id);
  }
  tidy_work(state, by, due.most);
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
