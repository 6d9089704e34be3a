// Least attained service in two dimensions (Tiresias-L, "2D-LAS"): jobs sink through queues as the
// card-time they have had passes limits. Knows no durations. First come first served inside a
// queue, but for running jobs staying before waiting ones; nothing is promoted.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/time.h"

namespace gpusched::policy {

class AttainedQueues {
 public:
  // Limits in card-time, rising; one queue more than limits.
  explicit AttainedQueues(std::vector<Microseconds> limits);

  void admit(std::size_t job);  // At the tail of the first queue.
  void remove(std::size_t job);
  // Moves a job that has attained its queue's limit to the tail of the next.
  void account(std::size_t job, Microseconds attained, int cards);
  // When a running job will reach its queue's limit, from now; max() in the last queue.
  Microseconds until_limit(std::size_t job, Microseconds attained, int cards) const;
  // First queue first.
  std::vector<std::size_t> in_order() const;
  // Each queue's waiting jobs go behind its running ones.
  void put_running_first(const std::function<bool(std::size_t)>& running);

 private:
  std::vector<Microseconds> limits_;
  std::vector<std::vector<std::size_t>> queues_;
  std::vector<std::size_t> queue_of_;  // By job.
};

}  // namespace gpusched::policy
