#include "core/state/ended_book.h"

#include <queue>

namespace gpusched {

void EndedBook::add(const Job& job) {
  const auto* ended = std::get_if<Ended>(&job.state);
  if (ended == nullptr) return;
  all_.emplace(ended->ended_at, job.id);
  by_tenant_[job.tenant].emplace(ended->ended_at, job.id);
}

void EndedBook::remove(const Job& job) {
  const auto* ended = std::get_if<Ended>(&job.state);
  if (ended == nullptr) return;
  all_.erase({ended->ended_at, job.id});
  const auto of_tenant = by_tenant_.find(job.tenant);
  of_tenant->second.erase({ended->ended_at, job.id});
  if (of_tenant->second.empty()) by_tenant_.erase(of_tenant);
}

std::vector<JobId> EndedBook::surplus(std::size_t keep, std::size_t most,
                                      const std::function<bool(JobId)>& stays) const {
  std::vector<JobId> going;
  if (all_.size() <= keep) return going;
  struct Owned {
    std::size_t left;
    ByEnd::const_iterator oldest;
    bool operator<(const Owned& other) const {
      return left != other.left ? left < other.left : *oldest > *other.oldest;
    }
  };
  std::priority_queue<Owned> shares;
  for (const auto& [tenant, jobs] : by_tenant_) shares.push({jobs.size(), jobs.begin()});
  for (std::size_t over = all_.size() - keep; over > 0 && going.size() < most; --over) {
    Owned share = shares.top();
    shares.pop();
    if (!stays(share.oldest->second)) going.push_back(share.oldest->second);
    if (--share.left == 0) continue;
    ++share.oldest;
    shares.push(share);
  }
  return going;
}

}  // namespace gpusched
