#include "notifier/connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "os/clock.h"
#include "os/tcp_address.h"

namespace gpusched::notifier {
namespace {

using Said = TlsSession::Said;

struct FreeList {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

tl::unexpected<Error> out_of_time() {
  return failure(ErrorCode::kUnavailable, "it did not answer in time");
}
tl::unexpected<Error> lost(const std::string& why) {
  return failure(ErrorCode::kUnavailable, "the connection broke: " + why);
}

tl::unexpected<Error> on_another_machine() {
  return failure(ErrorCode::kForbidden,
                 "it is on another machine, so nothing is sent to it without encryption");
}

bool is_loopback(const addrinfo& one) {
  TcpAddress address;
  if (one.ai_addrlen > sizeof address.address) return false;
  std::memcpy(&address.address, one.ai_addr, one.ai_addrlen);
  address.size = one.ai_addrlen;
  return address.is_loopback();
}

// True: the socket is ready. False: the time is over.
bool wait_until_ready(int socket, short events, Boot deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - read_clock().boot);
    if (left.count() <= 0) return false;
    pollfd entry{socket, events, 0};
    const auto most = std::min<std::int64_t>(left.count(), INT_MAX);
    const int ready = ::poll(&entry, 1, static_cast<int>(most));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// 0, or why not.
int connect_one(const addrinfo& to, Boot deadline, Fd& made) {
  Fd socket(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!socket) return errno;
  if (::connect(socket.get(), to.ai_addr, to.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    if (!wait_until_ready(socket.get(), POLLOUT, deadline)) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    if (error != 0) return error;
  }
  const int on = 1;
  // Ignoring failure: it is only slower without.
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  made = std::move(socket);
  return 0;
}

// An address that says nothing must leave time for the next one.
Boot share_of(Boot deadline, std::size_t addresses) {
  const Boot now = read_clock().boot;
  if (now >= deadline || addresses < 2) return deadline;
  return now + (deadline - now) / static_cast<std::int64_t>(addresses);
}

}  // namespace

Result<Connection> Connection::open(const Endpoint& to, Boot deadline) {
  // As the configuration is checked; what the name is looked up to is checked below.
  if (to.only_loopback && !is_loopback_host(to.host)) return on_another_machine();
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int fault = ::getaddrinfo(to.host.c_str(), to.port.c_str(), &wanted, &found);
      fault != 0) {
    return failure(ErrorCode::kUnavailable,
                   std::string("its name cannot be looked up: ") + ::gai_strerror(fault));
  }
  const std::unique_ptr<addrinfo, FreeList> list(found);
  std::size_t left = 0;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) ++left;
  int error = 0;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next, --left) {
    if (to.only_loopback && !is_loopback(*one)) continue;
    Fd made;
    error = connect_one(*one, share_of(deadline, left), made);
    if (error == 0) return Connection(std::move(made), to.host, deadline);
  }
  if (error == 0) {
    return on_another_machine();
  }
  if (error == ETIMEDOUT) return out_of_time();
  return failure(ErrorCode::kUnavailable,
                 std::string("it cannot be connected to: ") + std::strerror(error));
}

Result<void> Connection::wait(short events) const {
  if (!wait_until_ready(socket_.get(), events, deadline_)) return out_of_time();
  return {};
}

Result<void> Connection::wait_for(Said said) const {
  switch (said) {
    case Said::kWantsToRead:
      return wait(POLLIN);
    case Said::kWantsToWrite:
      return wait(POLLOUT);
    case Said::kEnd:
      return lost("it was closed");
    case Said::kFault:
      return lost(tls_->fault());
    case Said::kDone:
      return {};
  }
  return {};
}

Result<void> Connection::start_tls(const std::string& authorities, bool http) {
  auto context = TlsContext::of_strict_client(authorities, http);
  if (!context) return failure(context.error());
  tls_ = std::make_unique<TlsSession>(*context, socket_.get());
  if (!tls_->expect(host_)) return lost(tls_->fault());
  while (true) {
    const Said said = tls_->handshake();
    if (said == Said::kDone) return {};
    if (said == Said::kFault) {
      const ServerProof proof = tls_->proof();
      const bool certificate = tls_->fault().find("certificate verify") != std::string::npos;
      return failure(ErrorCode::kUnavailable,
                     certificate ? "its certificate is not trusted: " + proof.why_not
                                 : "no TLS with it: " + tls_->fault());
    }
    if (auto ready = wait_for(said); !ready) return ready;
  }
}

Result<void> Connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t sent = 0;
    if (tls_) {
      const Said said = tls_->write(bytes.data(), bytes.size(), sent);
      if (said != Said::kDone) {
        if (auto ready = wait_for(said); !ready) return ready;
        continue;
      }
    } else {
      const ssize_t done = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (done < 0 && errno != EAGAIN && errno != EINTR) return lost(std::strerror(errno));
      if (done < 0) {
        if (auto ready = wait(POLLOUT); !ready) return ready;
        continue;
      }
      sent = static_cast<std::size_t>(done);
    }
    bytes.remove_prefix(sent);
  }
  return {};
}

Result<bool> Connection::read(std::string& to) {
  std::array<char, 8192> bytes{};
  while (true) {
    // Also for who always has another byte.
    if (read_clock().boot >= deadline_) return out_of_time();
    if (tls_) {
      std::size_t got = 0;
      const Said said = tls_->read(bytes.data(), bytes.size(), got);
      if (said == Said::kEnd) return false;
      if (said == Said::kDone) {
        to.append(bytes.data(), got);
        return true;
      }
      if (auto ready = wait_for(said); !ready) return failure(ready.error());
      continue;
    }
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got >= 0) {
      to.append(bytes.data(), static_cast<std::size_t>(got));
      return got > 0;
    }
    if (errno != EAGAIN && errno != EINTR) return lost(std::strerror(errno));
    if (auto ready = wait(POLLIN); !ready) return failure(ready.error());
  }
}

void Connection::end() {
  if (tls_) tls_->end();
}

}  // namespace gpusched::notifier
