// How long the server waits for somebody. Who came over the network and has not shown a token yet
// has one short time for the handshake and the whole request; everybody else has more.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include "http/limits.h"

namespace gpusched {

class ConnectionPatience {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // REQUIRES: `limits` lives longer.
  ConnectionPatience(const HttpLimits& limits, bool network) : limits_(&limits), proved_(!network) {
    begin();
  }

  // A connection or the wait for its next request begins.
  void begin() { until_ = Clock::now() + limits_->unproved_time; }
  // True: this is news.
  bool proves() { return !std::exchange(proved_, true); }
  bool proved() const { return proved_; }

  Milliseconds in_all() const {
    return proved_ ? limits_->request_time
                   : std::min(limits_->unproved_time, limits_->request_time);
  }
  Milliseconds for_request() const {
    if (proved_) return limits_->request_time;
    const auto left = std::chrono::duration_cast<Milliseconds>(until_ - Clock::now());
    return std::clamp(left, Milliseconds{0}, limits_->request_time);
  }
  Milliseconds between() const {
    return proved_ ? limits_->idle_time : std::min(limits_->unproved_time, limits_->idle_time);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const HttpLimits* limits_;
  bool proved_;
  Clock::time_point until_;
};

}  // namespace gpusched
