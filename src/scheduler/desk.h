// The inside of a GpuScheduler, shared with the schedulings that it handed out: the backend, and
// which request belongs to whom. Guards its own book; backends guard themselves.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <gpusched/scheduler.h>
#include "scheduler/backend.h"
#include "scheduler/per_process.h"

namespace gpusched::v1::detail {

class Desk : public std::enable_shared_from_this<Desk> {
 public:
  explicit Desk(SchedulerOptions options);

  Outcome<std::vector<Scheduling>> ask(const std::vector<GpuRequest>& requests);
  Outcome<Scheduling> wait(RequestId id, std::chrono::milliseconds at_most);
  Outcome<void> check(RequestId id);
  Outcome<void> resume(RequestId id, std::chrono::milliseconds at_most);
  Outcome<void> release(RequestId id);
  Outcome<void> reset();
  Outcome<std::vector<Scheduling>> current();
  Outcome<std::vector<WaitingGpu>> waiting();
  // The scheduler goes; what nobody took goes with it.
  void leave();

 private:
  struct Entry {
    GpuRequest request;
    bool taken = false;
  };
  // What a process has asked for here. The child of a fork begins with nothing.
  struct Book {
    std::mutex mutex;
    std::shared_ptr<library::Backend> backend;
    std::map<RequestId, Entry> entries;
    void abandon() {
      if (backend) backend->abandon();
    }
  };
  enum class Way : std::uint8_t { kOpen, kEmbedded, kDaemon };
  Outcome<std::shared_ptr<library::Backend>> backend();
  Scheduling scheduling_of(const library::Standing& standing, GpuRequest request, bool owns);

  const SchedulerOptions options_;
  std::atomic<Way> way_{Way::kOpen};  // Also a child's.
  library::PerProcess<Book> book_;
};

}  // namespace gpusched::v1::detail
