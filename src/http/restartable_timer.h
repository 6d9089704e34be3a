// A timer that is set anew again and again; what it called for before does not come any more.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <utility>

namespace gpusched {

class RestartableTimer {
 public:
  explicit RestartableTimer(boost::asio::io_context& loop) : timer_(loop) {}

  // `keep` holds alive what owns this timer; `late` runs unless it was set anew or cancelled.
  template <class Keep, class Late>
  void set(std::chrono::milliseconds after, Keep keep, Late late) {
    timer_.expires_after(after);
    // The number tells a timer that had fired already when it was set anew or cancelled.
    timer_.async_wait([this, keep = std::move(keep), late = std::move(late),
                       number = ++number_](boost::system::error_code) {
      if (number == number_) late();
    });
  }
  void cancel() {
    ++number_;
    timer_.cancel();
  }

 private:
  boost::asio::steady_timer timer_;
  std::uint64_t number_ = 0;
};

}  // namespace gpusched
