// Drives the engine: a turn whenever there is something to do, its commit on the store's thread,
// its effects when the commit is on disk. The only place in the daemon that reads the clock.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "base/result.h"
#include "daemon/boot_timer.h"
#include "engine/engine.h"
#include "metrics/turn_meters.h"
#include "metrics/work_meters.h"
#include "store/store_thread.h"

namespace gpusched {

class Driver {
 public:
  // `after_turn` is called when no commit is under way any more: reads may be answered.
  Driver(boost::asio::io_context& loop, Engine& engine, StoreThread& store,
         std::function<void()> after_turn);
  // Told of every job that retention has removed.
  void on_forgotten(std::function<void(JobId)> forgotten) { forgotten_ = std::move(forgotten); }
  // What is done is counted there. REQUIRES: both live longer.
  void measure(metrics::TurnMeters& turns, metrics::WorkMeters& work) {
    turn_meters_ = &turns;
    work_meters_ = &work;
  }
  // Told of every commit before it is under way; what it gives back is told whether it is on disk.
  using CommitEnds = std::function<void(bool done)>;
  void on_commit(std::function<CommitEnds(const Commit&)> begins) { begins_ = std::move(begins); }
  Result<void> start();
  // Calls `idle` once nothing is in flight; no new turn begins then.
  void stop(std::function<void()> idle);

 private:
  void schedule();
  void turn();
  void rest();
  void count(const Committed& committed, Now now);

  boost::asio::io_context& loop_;
  Engine& engine_;
  StoreThread& store_;
  std::function<void()> after_turn_;
  std::function<void(JobId)> forgotten_;
  metrics::TurnMeters* turn_meters_ = nullptr;
  metrics::WorkMeters* work_meters_ = nullptr;
  std::vector<metrics::JobStep> steps_;  // Of the commit that is under way,
  Now handed_over_;                      // since then.
  std::function<CommitEnds(const Commit&)> begins_;
  std::unique_ptr<BootTimer> timer_;
  std::function<void()> idle_;
  bool scheduled_ = false;
  bool stopping_ = false;
  bool complained_ = false;
};

}  // namespace gpusched
