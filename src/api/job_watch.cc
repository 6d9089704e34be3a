#include "api/job_watch.h"

#include <iterator>

namespace gpusched {

void JobWatch::add(JobId job, const std::shared_ptr<Watcher>& watcher) {
  // Sweeping once per so many additions keeps the cost of each constant.
  if (++added_ > 64 + 2 * by_job_.size()) sweep();
  by_job_[job].push_back(watcher);
}

void JobWatch::sweep() {
  added_ = 0;
  for (auto it = by_job_.begin(); it != by_job_.end();) {
    std::erase_if(it->second, [](const auto& watcher) { return watcher.expired(); });
    it = it->second.empty() ? by_job_.erase(it) : std::next(it);
  }
}

void JobWatch::tell(const std::vector<JobChange>& changes) {
  if (by_job_.empty()) return;
  for (const JobChange& change : changes) {
    const auto it = by_job_.find(change.job);
    if (it == by_job_.end()) continue;
    // A copy: who is told may come back with another watch.
    const std::vector<std::weak_ptr<Watcher>> watchers = it->second;
    for (const auto& weak : watchers) {
      if (const auto watcher = weak.lock()) watcher->changed(change.job);
    }
  }
}

}  // namespace gpusched
