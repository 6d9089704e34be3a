// A process that works for us, here ssh. It ends with its owner.
#pragma once

#include <sys/types.h>

#include <utility>

namespace gpusched {

class ChildProcess {
 public:
  ChildProcess() = default;
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~ChildProcess();

  // Waits for its end: its exit code, or -1. REQUIRES: it ends by itself.
  int wait();

 private:
  pid_t pid_ = -1;
};

}  // namespace gpusched
