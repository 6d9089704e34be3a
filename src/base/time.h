// Time as values. The core never reads a clock: whoever calls it says what time it is.
// Durations are taken from boot time, which never jumps; wall time is for display, `--begin`,
// `--expire` and what must mean the same after a reboot.
#pragma once

#include <chrono>

namespace gpusched {

using Microseconds = std::chrono::microseconds;
using Seconds = std::chrono::seconds;

struct WallClock {
  using duration = Microseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<WallClock>;
  static constexpr bool is_steady = false;
};
struct BootClock {
  using duration = Microseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
};

using Wall = WallClock::time_point;  // Since 1970-01-01 UTC.
using Boot = BootClock::time_point;  // Since the machine booted, suspend included.

struct Now {
  Wall wall{};
  Boot boot{};
};

// How long ago something was that only the wall clock can tell of. If the clock has been set back
// since, nobody knows: then it counts as long ago, so that nobody waits for the clock.
constexpr Microseconds ago(Wall then, Now now) {
  return now.wall < then ? Microseconds::max() : now.wall - then;
}

}  // namespace gpusched
