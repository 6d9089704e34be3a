#include "api/sweep_rows.h"

#include <algorithm>

namespace gpusched {
namespace {

// Named one by one; of more than these the numbers in `counts` tell.
constexpr std::size_t kBadMost = 20;

bool waits(const Job& job) { return !job.active() && !job.ended(); }

bool went_wrong(const Job& job) {
  const auto* ended = std::get_if<Ended>(&job.state);
  return ended != nullptr && ended->outcome != Outcome::kCompleted;
}

}  // namespace

void SweepFold::only_whole(const StateView& state, const std::vector<JobId>& ids) {
  std::map<JobId, std::uint64_t> meant;
  for (const JobId id : ids) {
    const Job* job = state.find(id);
    if (job != nullptr && job->task) ++meant[job->task->array];
  }
  whole_.emplace();
  for (const auto& [array, count] : meant) {
    const Counts* counts = state.counts_of_array(array);
    if (counts != nullptr && counts->total() == count) whole_->insert(array);
  }
}

bool SweepFold::take(const StateView& state, const Job& job) {
  if (!state.in_sweep(job)) return false;
  const JobId array = job.task->array;
  if (whole_ && !whole_->contains(array)) return false;
  SweepLine& line = lines_.try_emplace(array, SweepLine{.array = array}).first->second;
  ++counter_of(line.counts, job.state);
  if (line.first == JobId{} || job.id < line.first) line.first = job.id;
  line.last = std::max(line.last, job.id);
  if (waits(job) && (!line.waits || job.id < *line.waits)) line.waits = job.id;
  if (went_wrong(job) && line.bad.size() < kBadMost) line.bad.push_back(job.id);
  return true;
}

std::vector<JobId> SweepFold::take_lone() {
  std::vector<JobId> lone;
  std::erase_if(lines_, [&](const auto& entry) {
    if (entry.second.counts.total() != 1) return false;
    lone.push_back(entry.second.first);
    return true;
  });
  return lone;
}

std::set<CardNumber> cards_of_sweep(const StateView& state, JobId array) {
  std::set<CardNumber> cards;
  if (state.active_in_array(array) == 0) return cards;
  const auto end = state.active().upper_bound(state.last_of_array(array));
  for (auto id = state.active().lower_bound(array); id != end; ++id) {
    const Job& job = *state.find(*id);
    if (!job.task || job.task->array != array) continue;
    for (const CardGrant& held : grant_of(job)->cards) cards.insert(held.card);
  }
  return cards;
}

SweepLine whole_sweep(const StateView& state, JobId array) {
  SweepLine line{.array = array};
  if (const Counts* counts = state.counts_of_array(array)) line.counts = *counts;
  line.first = state.jobs().lower_bound(array)->first;
  line.last = state.last_of_array(array);
  return line;
}

wire::Counts answer_of(const Counts& counts) {
  return {.held = counts.held,
          .queued = counts.queued,
          .starting = counts.starting,
          .running = counts.running,
          .paused = counts.paused,
          .completed = counts.completed,
          .failed = counts.failed,
          .cancelled = counts.cancelled};
}

}  // namespace gpusched
