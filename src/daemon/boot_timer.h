// Wakes the loop at a boot time, and when somebody sets the wall clock. Timers of the event loop
// count a clock that stands still during suspend; deadlines here must not.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <optional>

#include "base/result.h"
#include "base/time.h"

namespace gpusched {

class BootTimer {
 public:
  // `fired` is called on the loop's thread, when the time has come or the wall clock was set.
  static Result<std::unique_ptr<BootTimer>> create(boost::asio::io_context& loop,
                                                   std::function<void()> fired);
  // Empty: never. A time in the past fires at once.
  void set(std::optional<Boot> at);

 private:
  BootTimer(boost::asio::io_context& loop, int timer_fd, int jump_fd, std::function<void()> fired);
  void wait_for_timer();
  void wait_for_jump();
  void arm_jump();

  boost::asio::posix::stream_descriptor timer_;
  boost::asio::posix::stream_descriptor jump_;  // Cancelled by the kernel when the clock is set.
  std::function<void()> fired_;
  std::optional<Boot> armed_;
};

}  // namespace gpusched
