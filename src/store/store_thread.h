// The store's own thread: commits happen here so that the loop never waits for a disk. Work is
// done in the order in which it was given; results come back on the loop's thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "engine/store.h"

namespace gpusched {

class StoreThread {
 public:
  // Runs a function on the loop's thread; callable from any thread.
  using PostToLoop = std::function<void(std::function<void()>)>;

  StoreThread(Store& store, PostToLoop post_to_loop);
  ~StoreThread();  // Finishes what was given, then ends.
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  void commit(Commit commit, std::function<void(Committed)> done);
  void read_trail(JobId job, std::uint64_t after, std::size_t limit,
                  std::function<void(Result<std::vector<TrailEntry>>)> done);
  void read_audit(AuditPart part, std::function<void(Result<std::vector<AuditEntry>>)> done);
  void read_past(PastPart part, std::function<void(Result<Past>)> done);
  void read_environments(std::vector<std::string> hashes,
                         std::function<void(Result<EnvironmentsByHash>)> done);
  void backup(std::string path, std::function<void(Result<void>)> done);

 private:
  void give(std::function<void()> work);
  void run();

  Store& store_;
  PostToLoop post_to_loop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;  // Guarded by mutex_.
  bool ending_ = false;                     // Guarded by mutex_.
  std::thread thread_;
};

}  // namespace gpusched
