#include "http/byte_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

namespace gpusched {
namespace {

namespace asio = boost::asio;

int family_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return AF_UNSPEC;
  return address.ss_family;
}

// A peer that has vanished is noticed after two minutes, whether or not there is something to say.
constexpr int kSilentBefore = 60;  // Seconds.
constexpr int kAskedEvery = 15;
constexpr int kAskedTimes = 4;
constexpr int kUnheardMost = 120'000;  // Milliseconds.

void set(int socket, int level, int option, int value) {
  // Ignoring failure: without it the connection is slower, or its loss is found later.
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

// True: what was read is the end, not a byte that waits.
bool is_at_end(int socket) {
  char byte = 0;
  const ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

}  // namespace

ByteStream::ByteStream(asio::io_context& loop, Fd socket, std::shared_ptr<const TlsContext> tls)
    : socket_(loop) {
  const int family = family_of(socket.get());
  local_ = family == AF_UNIX;
  if (!local_) {
    // An answer is written whole; waiting for more would only delay it.
    set(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, kSilentBefore);
    set(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL, kAskedEvery);
    set(socket.get(), IPPROTO_TCP, TCP_KEEPCNT, kAskedTimes);
    set(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, kUnheardMost);
  }
  socket_.assign(asio::generic::stream_protocol(family, local_ ? 0 : IPPROTO_TCP),
                 socket.release());
  if (tls) tls_ = std::make_unique<TlsStream>(socket_, std::move(tls));
}

void ByteStream::open(std::function<void(boost::system::error_code)> opened) {
  if (!tls_) return opened({});
  socket_.native_non_blocking(true);
  tls_->handshake([opened = std::move(opened)](boost::system::error_code fault, std::size_t) {
    opened(fault);
  });
}

bool ByteStream::falls_back_to_plain() {
  if (!tls_ || !tls_->heard_plain_http()) return false;
  tls_.reset();
  return true;
}

void ByteStream::watch_hang_up(std::function<void(bool)> said) {
  // A Unix peer that closes raises HUP; half-closing does not. TCP has no other word for it than
  // the end of what it sends.
  if (local_) {
    socket_.async_wait(Socket::wait_error, [said = std::move(said)](auto) { said(true); });
    return;
  }
  if (tls_) {
    tls_->look([said = std::move(said)](boost::system::error_code fault, std::size_t) {
      said(static_cast<bool>(fault));
    });
    return;
  }
  socket_.async_wait(Socket::wait_read,
                     [this, said = std::move(said)](boost::system::error_code fault) {
                       said(fault || is_at_end(socket_.native_handle()));
                     });
}

void ByteStream::end_writing() {
  boost::system::error_code ignored;
  if (tls_ && socket_.is_open()) tls_->end();
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void ByteStream::close() {
  boost::system::error_code ignored;
  if (tls_ && socket_.is_open()) tls_->end();
  socket_.close(ignored);
}

}  // namespace gpusched
