// Writes whole lines to the daemon, from any thread. A daemon that does not read makes the writers
// wait; one that is gone closes the writer, and everything more is dropped.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "watch/report.h"

namespace gpusched {

class LineWriter {
 public:
  // `closed` is called once, by the thread that finds nobody at the other end.
  LineWriter(int fd, std::function<void()> closed) : fd_(fd), closed_(std::move(closed)) {}

  void write(const watch::Report& report);
  void complain(const std::string& sentence) { write(watch::ComplaintReport{sentence}); }

 private:
  int fd_;
  std::function<void()> closed_;
  std::mutex mutex_;
  std::atomic<bool> done_ = false;
};

}  // namespace gpusched
