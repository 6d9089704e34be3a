// A daemon on the network that does not answer, while a user stays with a job: it is tried again
// for some minutes, and signals and keys count all the time.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "base/time.h"
#include "cli/signal_fd.h"
#include "cli/waiting_keys.h"

namespace gpusched::cli {

class LostConnection {
 public:
  enum class Then : unsigned char { kTryAgain, kLeave, kGiveUp };
  struct Paused {
    Then then = Then::kTryAgain;
    int signal = 0;  // Of kLeave; 0: keys.
  };
  // Waits before the next try.
  Paused pause(SignalFd& signals, WaitingKeys& keys);
  // It answers. True: it did not before.
  bool over() { return std::exchange(since_, std::nullopt).has_value(); }

 private:
  std::optional<Boot> since_;
  std::chrono::milliseconds pause_{0};
};

}  // namespace gpusched::cli
