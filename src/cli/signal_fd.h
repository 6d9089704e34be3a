// Signals as a descriptor, so that one poll() waits for them together with everything else.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "os/fd.h"

namespace gpusched::cli {

// Blocks the signals for as long as it lives, and hands them out one by one.
class SignalFd {
 public:
  explicit SignalFd(std::initializer_list<int> signals);
  ~SignalFd();
  SignalFd(const SignalFd&) = delete;
  SignalFd& operator=(const SignalFd&) = delete;

  int fd() const { return fd_.get(); }
  // The next one that has come, if any; never blocks.
  std::optional<int> take();

 private:
  Fd fd_;
  std::vector<int> signals_;
};

}  // namespace gpusched::cli
