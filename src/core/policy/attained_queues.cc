#include "core/policy/attained_queues.h"

#include <algorithm>

namespace gpusched::policy {

AttainedQueues::AttainedQueues(std::vector<Microseconds> limits)
    : limits_(std::move(limits)), queues_(limits_.size() + 1) {}

void AttainedQueues::admit(std::size_t job) {
  if (queue_of_.size() <= job) queue_of_.resize(job + 1, 0);
  queue_of_[job] = 0;
  queues_[0].push_back(job);
}

void AttainedQueues::remove(std::size_t job) { std::erase(queues_[queue_of_[job]], job); }

void AttainedQueues::account(std::size_t job, Microseconds attained, int cards) {
  const std::size_t queue = queue_of_[job];
  if (queue == limits_.size() || attained * cards < limits_[queue]) return;
  std::erase(queues_[queue], job);
  queue_of_[job] = queue + 1;
  queues_[queue + 1].push_back(job);
}

Microseconds AttainedQueues::until_limit(std::size_t job, Microseconds attained, int cards) const {
  const std::size_t queue = queue_of_[job];
  // Who holds no card attains nothing.
  if (queue == limits_.size() || cards == 0) return Microseconds::max();
  // In whole seconds of time on cards, which never comes too early.
  const Microseconds share = (limits_[queue] + Microseconds{cards - 1}) / cards;
  return std::max(Microseconds{1}, Microseconds{std::chrono::ceil<Seconds>(share)} - attained);
}

std::vector<std::size_t> AttainedQueues::in_order() const {
  std::vector<std::size_t> order;
  for (const auto& queue : queues_) order.insert(order.end(), queue.begin(), queue.end());
  return order;
}

void AttainedQueues::put_running_first(const std::function<bool(std::size_t)>& running) {
  for (auto& queue : queues_) std::stable_partition(queue.begin(), queue.end(), running);
}

}  // namespace gpusched::policy
