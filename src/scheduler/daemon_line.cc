#include "scheduler/daemon_line.h"

#include <utility>

namespace gpusched::library {
namespace {

constexpr std::uint64_t kBodyMost = 64U << 20;

}  // namespace

bool LineTurn::take(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!given_.wait_for(lock, patience, [this] { return !taken_; })) return false;
  taken_ = true;
  return true;
}

void LineTurn::give() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  given_.notify_one();
}

void DaemonLine::hang_up() {
  open_.set(-1);
  exchange_.reset();
}

// The one that is open, unless something has happened on it since: the daemon closes those that
// are idle for long, and all of them when it ends.
Result<void> DaemonLine::connect() {
  if (exchange_ && exchange_->may_ask_again()) return {};
  hang_up();
  Result<Carrier> fresh = Carrier::connect(sockets_);
  if (!fresh) return failure(fresh.error());
  exchange_.emplace(std::move(*fresh), kDaemonPatience);
  open_.set(exchange_->fd());
  return {};
}

bool DaemonLine::answers() {
  if (!turn_.take(kDaemonPatience)) return false;
  const bool connected = connect().has_value();
  turn_.give();
  return connected;
}

Result<DaemonAnswer> DaemonLine::call(Request request) {
  // A caller that waited as long as the one before has met the same silence.
  if (!turn_.take(kDaemonPatience)) return daemon_silent(kDaemonPatience);
  request.more_follow = true;
  Result<DaemonAnswer> answer = call_in_turn(request);
  // What may still come is not the answer to the next question.
  if (!answer) hang_up();
  turn_.give();
  return answer;
}

Result<DaemonAnswer> DaemonLine::call_in_turn(const Request& request) {
  if (Result<void> connected = connect(); !connected) return failure(connected.error());
  if (Result<void> asked = exchange_->ask(request); !asked) return failure(asked.error());
  Result<std::string> body = exchange_->read_all(kBodyMost);
  if (!body) return failure(body.error());
  return DaemonAnswer{exchange_->status(), std::move(*body)};
}

}  // namespace gpusched::library
