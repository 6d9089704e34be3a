// The driver's own records of processes that ended: their peak of memory, which no polling finds.
// There are some only where accounting was switched on (root, once). Belongs to one card's thread.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "nvml/question.h"
#include "watch/sample.h"

namespace gpusched::nvml {

class Accounts {
 public:
  explicit Accounts(std::shared_ptr<Library> library) : library_(std::move(library)) {}

  // Those that ended since the last call; of those before the first one nothing is told.
  std::vector<watch::ProcessAccount> ended(Asking& asking);
  // These run: if one of their pids has an account, it was another process's.
  void note_running(const std::vector<watch::ProcessSample>& processes);

 private:
  std::shared_ptr<Library> library_;
  bool primed_ = false;
  std::set<u32> told_;  // Each account is read once: the ring is long and a call takes its time.
};

}  // namespace gpusched::nvml
