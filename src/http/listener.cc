#include "http/listener.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace gpusched {
namespace {

// After running out of descriptors: long enough not to spin, short enough not to be felt.
constexpr std::chrono::milliseconds kAcceptPause{100};
// At one time: who is served already goes on in between.
constexpr int kAtOnce = 16;

}  // namespace

Listener::Listener(boost::asio::io_context& loop, std::function<void(Fd)> accepted)
    : socket_(loop), pause_(loop), accepted_(std::move(accepted)) {}

void Listener::listen(Fd socket) {
  stop();
  socket_.assign(socket.release());
  socket_.native_non_blocking(true);
  wait();
}

void Listener::finish() {
  constexpr int kWaitingMost = 4096;  // More than a backlog holds.
  for (int i = 0; i < kWaitingMost && socket_.is_open() && accept_one(); ++i) {
  }
  stop();
}

void Listener::stop() {
  boost::system::error_code ignored;
  pause_.cancel();
  socket_.close(ignored);
}

void Listener::wait() {
  socket_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                     [this, lives = std::weak_ptr<bool>(lives_)](boost::system::error_code fault) {
                       if (!lives.expired() && !fault && socket_.is_open()) accept_all();
                     });
}

bool Listener::accept_one() {
  Fd socket(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return false;
  accepted_(std::move(socket));
  return true;
}

void Listener::accept_all() {
  for (int i = 0; i < kAtOnce; ++i) {
    if (accept_one()) {
      if (!socket_.is_open()) return;
      continue;
    }
    if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) break;
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this, lives = std::weak_ptr<bool>(lives_)](boost::system::error_code fault) {
      if (!lives.expired() && !fault && socket_.is_open()) wait();
    });
    return;
  }
  wait();
}

}  // namespace gpusched
