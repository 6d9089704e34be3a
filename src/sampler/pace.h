// How often cards are looked at and how long one call may take: told by the daemon, read by every
// thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

#include "watch/report.h"

namespace gpusched {

struct Pace {
  bool busy = true;  // Something runs or waits, or nobody has said yet that nothing does.
  std::chrono::milliseconds busy_period{1000};
  std::chrono::milliseconds idle_period{10'000};
  std::chrono::milliseconds deadline{2000};

  std::chrono::milliseconds period() const { return busy ? busy_period : idle_period; }
};

class SharedPace {
 public:
  explicit SharedPace(Pace pace) : pace_(pace) {}

  Pace get() const {
    const std::lock_guard lock(mutex_);
    return pace_;
  }
  void change(const watch::PeriodOrder& order) {
    using std::chrono::milliseconds;
    // Whatever a configuration says: never a loop that only looks.
    static constexpr milliseconds kShortest{10}, kLongest{3'600'000};
    const auto within = [](milliseconds wanted) { return std::clamp(wanted, kShortest, kLongest); };
    const std::lock_guard lock(mutex_);
    pace_.busy = order.busy.value_or(pace_.busy);
    pace_.busy_period = within(order.busy_period.value_or(pace_.busy_period));
    pace_.idle_period = within(order.idle_period.value_or(pace_.idle_period));
    pace_.deadline = within(order.deadline.value_or(pace_.deadline));
  }

 private:
  mutable std::mutex mutex_;
  Pace pace_;
};

}  // namespace gpusched
