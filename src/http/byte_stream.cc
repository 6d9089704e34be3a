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

void switch_on(int socket, int level, int option) {
  const int on = 1;
  // Ignoring failure: without it the connection is slower, or its loss is found later.
  (void)::setsockopt(socket, level, option, &on, sizeof on);
}

// True: what was read is the end, not a byte that waits.
bool is_at_end(int socket) {
  char byte = 0;
  const ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

}  // namespace

ByteStream::ByteStream(asio::io_context& loop, Fd socket) : socket_(loop) {
  const int family = family_of(socket.get());
  local_ = family == AF_UNIX;
  if (!local_) {
    // An answer is written whole; waiting for more would only delay it.
    switch_on(socket.get(), IPPROTO_TCP, TCP_NODELAY);
    switch_on(socket.get(), SOL_SOCKET, SO_KEEPALIVE);
  }
  socket_.assign(asio::generic::stream_protocol(family, local_ ? 0 : IPPROTO_TCP),
                 socket.release());
}

void ByteStream::watch_hang_up(std::function<void(bool)> said) {
  // A Unix peer that closes raises HUP; half-closing does not. TCP has no other word for it than
  // the end of what it sends.
  if (local_) {
    socket_.async_wait(Socket::wait_error, [said = std::move(said)](auto) { said(true); });
    return;
  }
  socket_.async_wait(Socket::wait_read,
                     [this, said = std::move(said)](boost::system::error_code fault) {
                       said(fault || is_at_end(socket_.native_handle()));
                     });
}

void ByteStream::end_writing() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void ByteStream::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace gpusched
