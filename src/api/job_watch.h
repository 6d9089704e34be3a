// Who wants to hear of which job: long polls and logs that are followed. Told after the commit.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/model/ids.h"
#include "engine/engine.h"

namespace gpusched {

class JobWatch {
 public:
  // Hears of its jobs for as long as its owner keeps it.
  struct Watcher {
    std::function<void(JobId)> changed;
  };

  void add(JobId job, const std::shared_ptr<Watcher>& watcher);
  void tell(const std::vector<JobChange>& changes);

 private:
  void sweep();

  std::unordered_map<JobId, std::vector<std::weak_ptr<Watcher>>> by_job_;
  std::size_t added_ = 0;  // Since the last sweep.
};

}  // namespace gpusched
