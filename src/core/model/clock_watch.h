// A wall clock may jump: a wrong battery clock is set right, or a right one wrong. What is removed
// for its age must not go because of that, so a jump forward counts only once it has lasted.
#pragma once

#include <optional>

#include "base/time.h"

namespace gpusched {

class ClockWatch {
 public:
  // What time it was when somebody last knew: a start is no reason to believe a clock. A machine
  // that was off for long looks the same, and is believed a day later.
  void remember(Wall last, Now now) {
    if (now.wall <= last + kJump) return;
    believed_ = last.time_since_epoch() - now.boot.time_since_epoch();
    jumped_at_ = now.boot;
  }
  void look(Now now) {
    const Microseconds apart = between(now);
    if (!believed_ || apart <= *believed_ + kJump) {
      believed_ = apart;
      jumped_at_.reset();
      return;
    }
    if (!jumped_at_) jumped_at_ = now.boot;
    if (now.boot - *jumped_at_ < kLasting) return;
    believed_ = apart;
    jumped_at_.reset();
  }
  // The wall time by which ages are told: never ahead of the clock.
  Wall trusted(Now now) const {
    const Microseconds apart = between(now);
    if (!believed_ || apart <= *believed_ + kJump) return now.wall;
    return Wall{now.boot.time_since_epoch() + *believed_};
  }

 private:
  static constexpr Microseconds kJump = std::chrono::hours{1};
  static constexpr Microseconds kLasting = std::chrono::hours{24};
  static Microseconds between(Now now) {
    return now.wall.time_since_epoch() - now.boot.time_since_epoch();
  }
  std::optional<Microseconds> believed_;  // Between the two clocks.
  std::optional<Boot> jumped_at_;
};

}  // namespace gpusched
