#include "scheduler/daemon_line.h"

#include <fmt/format.h>
#include <poll.h>

#include <utility>

namespace gpusched::library {

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
  fd_.reset();
}

// The one that is open, unless something has happened on it since: the daemon closes those that
// are idle for long, and all of them when it ends.
Result<void> DaemonLine::connect() {
  if (fd_) {
    pollfd entry{fd_.get(), POLLIN, 0};
    if (::poll(&entry, 1, 0) == 0) return {};
    hang_up();
  }
  Result<Fd> fresh = connect_to_daemon(sockets_);
  if (!fresh) return failure(fresh.error());
  fd_ = std::move(*fresh);
  open_.set(fd_.get());
  return {};
}

bool DaemonLine::answers() {
  if (!turn_.take(kDaemonPatience)) return false;
  const bool connected = connect().has_value();
  turn_.give();
  return connected;
}

Result<DaemonAnswer> DaemonLine::call(const DaemonQuestion& question) {
  // Who waited as long as the one before has waited for the same silence.
  if (!turn_.take(kDaemonPatience)) {
    return failure(
        ErrorCode::kUnavailable,
        fmt::format("the gpusched daemon did not answer for {} s", kDaemonPatience.count() / 1000));
  }
  Result<DaemonAnswer> answer = call_in_turn(question);
  turn_.give();
  return answer;
}

Result<DaemonAnswer> DaemonLine::call_in_turn(const DaemonQuestion& question) {
  if (Result<void> connected = connect(); !connected) return failure(connected.error());
  Result<DaemonAnswer> answer = exchange(question);
  // What may still come is not the answer to the next question.
  if (!answer) hang_up();
  return answer;
}

Result<DaemonAnswer> DaemonLine::exchange(const DaemonQuestion& question) {
  if (Result<void> sent = send_question(fd_.get(), question); !sent) return failure(sent.error());
  DaemonAnswer answer;
  Result<AnswerHead> head = read_head(fd_.get(), answer.body, kDaemonPatience);
  if (!head) return failure(head.error());
  if (head->chunked) {
    return failure(ErrorCode::kInternal, "the gpusched daemon gave a stream for an answer");
  }
  Result<void> whole = read_body(fd_.get(), answer.body, head->length, kDaemonPatience);
  if (!whole) return failure(whole.error());
  answer.status = head->status;
  if (head->closes) hang_up();
  return answer;
}

}  // namespace gpusched::library
