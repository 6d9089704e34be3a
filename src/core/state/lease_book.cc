#include "core/state/lease_book.h"

#include "core/model/kind.h"

namespace gpusched {

void LeaseBook::add(const Job& job, Now now) {
  if (!kind_of(job).has_holder) return;
  if (job.ended()) return ended_.add(job);
  live_.insert(job.id);
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr || job.spec->time.limit == Seconds{0}) return;
  if (is_aside(job) && aside_of(job)->ends) return;  // As soon as it is back.
  const Boot end = now.boot + (running->started_at + job.spec->time.limit - now.wall);
  end_of_[job.id] = end;
  ends_.emplace(end, job.id);
}

void LeaseBook::remove(const Job& job) {
  if (!kind_of(job).has_holder) return;
  if (job.ended()) return ended_.remove(job);
  live_.erase(job.id);
  const auto end = end_of_.find(job.id);
  if (end == end_of_.end()) return;
  ends_.erase({end->second, job.id});
  end_of_.erase(end);
}

std::optional<Boot> LeaseBook::next_end() const {
  if (ends_.empty()) return std::nullopt;
  return ends_.begin()->first;
}

std::vector<JobId> LeaseBook::due(Now now) const {
  std::vector<JobId> over;
  for (const auto& [end, id] : ends_) {
    if (end > now.boot) break;
    over.push_back(id);
  }
  return over;
}

}  // namespace gpusched
