#include "connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "tls/pump.h"

namespace gpusched {
namespace {

using Said = TlsSession::Said;
constexpr int kHandshakeMs = 10'000;
constexpr std::size_t kRead = 64U << 10;

Result<Fd> connect_from(std::uint32_t address, std::uint16_t port) {
  const auto fault = [](const char* what) {
    return failure(ErrorCode::kUnavailable, std::string(what) + ": " + std::strerror(errno));
  };
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return fault("socket");
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(address);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    return fault("bind");
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    return fault("connect");
  }
  const int on = 1;
  // Ignoring failure: it is only slower without.
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0) return fault("fcntl");
  return socket;
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(std::uint16_t port, std::uint32_t address,
                                                     const std::shared_ptr<const TlsContext>& tls) {
  Result<Fd> socket = connect_from(address, port);
  if (!socket) return failure(socket.error());
  auto made = std::make_unique<Connection>();
  made->socket_ = std::move(*socket);
  if (tls) {
    made->tls_ = std::make_unique<TlsSession>(tls, made->socket_.get());
    auto shaken = shake_hands(*made->tls_, made->socket_.get(), kHandshakeMs);
    if (!shaken) return failure(shaken.error());
  }
  return made;
}

void Connection::send(std::string_view bytes) { out_ += bytes; }

short Connection::wants() const {
  return static_cast<short>(write_waits_ ? POLLIN | POLLOUT : POLLIN);
}

bool Connection::write_on() {
  write_waits_ = false;
  while (!out_.empty()) {
    std::size_t sent = 0;
    if (tls_) {
      const Said said = tls_->write(out_.data(), out_.size(), sent);
      if (said == Said::kFault || said == Said::kEnd) return false;
      if (said != Said::kDone) {
        write_waits_ = true;
        return true;
      }
    } else {
      const ssize_t done = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
      if (done < 0 && (errno == EAGAIN || errno == EINTR)) {
        write_waits_ = true;
        return true;
      }
      if (done <= 0) return false;
      sent = static_cast<std::size_t>(done);
    }
    out_.erase(0, sent);
  }
  return true;
}

bool Connection::read_on() {
  static std::array<char, kRead> piece;
  while (true) {
    std::size_t got = 0;
    if (tls_) {
      const Said said = tls_->read(piece.data(), piece.size(), got);
      if (said == Said::kFault || said == Said::kEnd) return false;
      if (said != Said::kDone) return true;
    } else {
      const ssize_t read = ::recv(socket_.get(), piece.data(), piece.size(), 0);
      if (read < 0 && (errno == EAGAIN || errno == EINTR)) return true;
      if (read <= 0) return false;
      got = static_cast<std::size_t>(read);
    }
    if (!answers_.take({piece.data(), got})) return false;
  }
}

bool Connection::go_on() { return write_on() && read_on(); }

}  // namespace gpusched
