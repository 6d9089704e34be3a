#include "core/state/state_view.h"

#include <algorithm>

#include "core/access/rights.h"

namespace gpusched {

std::optional<std::size_t> StateView::index_of(CardNumber number) const {
  // Numbers mostly are positions.
  const auto usual = static_cast<std::size_t>(number_of(number));
  if (usual < cards_.size() && cards_[usual].number == number) return usual;
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    if (cards_[i].number == number) return i;
  }
  return std::nullopt;
}

std::uint64_t StateView::cards_missing() const {
  const auto there = std::ranges::count_if(
      seen_.views, [](const CardView& view) { return view.condition != CardCondition::kGone; });
  return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(0, rules_.cards_expected - there));
}

const Job* StateView::find(JobId id) const {
  const auto job = tables_.jobs.rows.find(id);
  return job == tables_.jobs.rows.end() ? nullptr : &job->second;
}

std::optional<JobId> StateView::waits_longest() const {
  // A few that have run before may be in front; nobody looks at many of them.
  constexpr int kLooks = 16;
  std::optional<std::pair<Wall, JobId>> first;
  for (const auto* book : {&overdue_, &fresh_}) {
    int looks = kLooks;
    for (auto it = book->begin(); it != book->end() && looks-- > 0; ++it) {
      if (find(it->second)->attempt > 0) continue;
      if (!first || *it < *first) first = *it;
      break;
    }
  }
  return first ? std::optional(first->second) : std::nullopt;
}

std::vector<JobId> StateView::dependents_of(JobId id) const {
  const auto found = dependents_.find(id);
  return found == dependents_.end() ? std::vector<JobId>{} : found->second;
}

std::vector<JobId> StateView::newest_of(const Principal& owner, std::size_t most) const {
  std::vector<JobId> newest;
  for (auto job = tables_.jobs.rows.rbegin();
       job != tables_.jobs.rows.rend() && newest.size() < most; ++job) {
    if (owns(owner, owned_by(job->second.owner)) && !in_open_submission(job->first)) {
      newest.push_back(job->first);
    }
  }
  return newest;
}

const StateView::Staged* StateView::staged(JobId id) const {
  if (staged_.empty()) return nullptr;
  auto range = staged_.upper_bound(id);
  if (range == staged_.begin()) return nullptr;
  --range;
  return id < range->second.end ? &range->second : nullptr;
}

bool StateView::in_open_submission(JobId id) const {
  const Staged* range = staged(id);
  if (range == nullptr) return false;
  const auto submission = tables_.submissions.rows.find(range->submission);
  return submission != tables_.submissions.rows.end() && submission->second.open;
}

std::optional<std::uint64_t> StateView::sending(const std::string& receiver) const {
  const auto found = sending_.find(receiver);
  return found == sending_.end() ? std::nullopt : std::optional(found->second);
}

bool StateView::takes_more(const Message& message) const {
  return sending(message.receiver) != message.id && !doubted_.contains(message.id);
}

int StateView::active_in_group(const std::string& name) const {
  const auto found = active_in_group_.find(name);
  return found == active_in_group_.end() ? 0 : found->second;
}

std::uint64_t StateView::waiting_in_group(const std::string& name) const {
  const auto found = waiting_in_group_.find(name);
  return found == waiting_in_group_.end() ? 0 : found->second;
}

bool StateView::any_active_below(int band) const {
  for (std::size_t i = static_cast<std::size_t>(band) + 1; i < kBands; ++i) {
    if (active_in_band_[i] > 0) return true;
  }
  return false;
}

int StateView::active_in_array(JobId array) const {
  const Counts* counts = counts_of_array(array);
  return counts == nullptr ? 0 : static_cast<int>(counts->active());
}

const Counts* StateView::counts_of_array(JobId array) const {
  const auto found = array_counts_.find(array);
  return found == array_counts_.end() ? nullptr : &found->second;
}

bool StateView::in_sweep(const Job& job) const {
  const Counts* counts = job.task ? counts_of_array(job.task->array) : nullptr;
  return counts != nullptr && counts->total() > 1;
}

JobId StateView::last_of_array(JobId array) const {
  // Its jobs follow each other, but some of them may be gone: who comes next at a number or after
  // it is of the array up to its last one, and never again.
  const auto& rows = tables_.jobs.rows;
  const auto next_is_of = [&](std::uint64_t number) {
    const auto job = rows.lower_bound(JobId{number});
    return job != rows.end() && job->second.task && job->second.task->array == array;
  };
  std::uint64_t inside = number_of(array);
  std::uint64_t step = 1;
  while (next_is_of(inside + step)) {
    inside += step;
    step *= 2;
  }
  while (step > 1) {
    step /= 2;
    if (next_is_of(inside + step)) inside += step;
  }
  return rows.lower_bound(JobId{inside})->first;
}

bool StateView::sweep_crashed(JobId array) const {
  const auto found = sweeps_.find(array);
  return found != sweeps_.end() && found->second.others == 0 && rules_.crash_guard_count > 0 &&
         found->second.quick_failures >= rules_.crash_guard_count;
}

const Submission* StateView::find_submission(const std::string& tenant,
                                             const std::string& key) const {
  const auto found = keys_.find({tenant, key});
  return found == keys_.end() ? nullptr : &tables_.submissions.rows.at(found->second);
}

const MoveRates* StateView::rates_of(CardNumber card) const {
  const auto position = index_of(card);
  if (!position) return nullptr;
  const auto found = tables_.move_rates.rows.find(cards_[*position].uuid);
  return found == tables_.move_rates.rows.end() ? nullptr : &found->second;
}

}  // namespace gpusched
