// A daemon that is not there: how that is said, and for how long it is tried again. One that
// restarts is back within seconds.
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace gpusched {

// "the gpusched daemon …": it answers no more.
tl::unexpected<Error> daemon_lost(std::string_view what);
tl::unexpected<Error> daemon_silent(std::chrono::milliseconds patience);

// True if the daemon was there and is not now, or is going: what waiting can cure.
bool is_away(const Error& error);

using Remark = void (*)(std::string_view words);

// Tries at another machine come less and less often, up to one in 3 s.
std::chrono::milliseconds pause_after(std::chrono::milliseconds pause);

inline constexpr Seconds kAwayMost{30};

// For who follows or waits, and goes on when the daemon is back.
class Patience {
 public:
  // `notice` is told once per wait, before it; none if nobody need know.
  // `far`: each try costs a login on another machine, or a handshake with it. Networks lose things
  // all the time: nobody is told of what is over within 2 s.
  explicit Patience(Remark notice, bool far = false, Seconds most = kAwayMost)
      : notice_(notice), far_(far), most_(most) {}
  // Waits before the next try; false once the time is over.
  bool wait_a_moment();
  void reset() { waiting_ = false; }
  // From the first failure on.
  void at_most(Seconds most) { most_ = most; }
  // Whatever else, not beyond this.
  void end_at(Boot deadline) { end_ = deadline; }

 private:
  Remark notice_;
  bool far_;
  Seconds most_;
  Boot end_ = Boot::max();
  Boot since_{};
  std::chrono::milliseconds pause_{0};
  bool waiting_ = false;
  bool told_ = false;
};

}  // namespace gpusched
