#include "daemon/boot_timer.h"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

namespace gpusched {

Result<std::unique_ptr<BootTimer>> BootTimer::create(boost::asio::io_context& loop,
                                                     std::function<void()> fired) {
  const int timer = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  const int jump = ::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (timer < 0 || jump < 0) {
    return failure(ErrorCode::kIo, fmt::format("create a timer: {}", std::strerror(errno)));
  }
  return std::unique_ptr<BootTimer>(new BootTimer(loop, timer, jump, std::move(fired)));
}

BootTimer::BootTimer(boost::asio::io_context& loop, int timer_fd, int jump_fd,
                     std::function<void()> fired)
    : timer_(loop, timer_fd), jump_(loop, jump_fd), fired_(std::move(fired)) {
  arm_jump();
  wait_for_timer();
  wait_for_jump();
}

void BootTimer::set(std::optional<Boot> at) {
  if (at == armed_) return;
  armed_ = at;
  itimerspec when{};
  if (at) {
    // Zero would disarm it.
    const auto micros = std::max<Microseconds::rep>(1, at->time_since_epoch().count());
    when.it_value.tv_sec = micros / 1'000'000;
    when.it_value.tv_nsec = micros % 1'000'000 * 1000;
  }
  ::timerfd_settime(timer_.native_handle(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void BootTimer::arm_jump() {
  itimerspec never{};
  never.it_value.tv_sec = std::numeric_limits<std::int32_t>::max();
  ::timerfd_settime(jump_.native_handle(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
                    nullptr);
}

void BootTimer::wait_for_timer() {
  timer_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const boost::system::error_code& error) {
                      if (error) return;
                      std::uint64_t times = 0;
                      if (::read(timer_.native_handle(), &times, sizeof times) > 0) armed_.reset();
                      fired_();
                      wait_for_timer();
                    });
}

void BootTimer::wait_for_jump() {
  jump_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [this](const boost::system::error_code& error) {
                     if (error) return;
                     std::uint64_t times = 0;
                     // ECANCELED says that the wall clock was set.
                     if (::read(jump_.native_handle(), &times, sizeof times) < 0) arm_jump();
                     fired_();
                     wait_for_jump();
                   });
}

}  // namespace gpusched
