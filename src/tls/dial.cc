#include "tls/dial.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace gpusched {
namespace {

constexpr int kPatience = 10'000;  // Milliseconds, for each address.

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

// 0, or why it did not come about.
int finish(int socket) {
  pollfd entry{socket, POLLOUT, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, kPatience);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

int try_one(const addrinfo& to, Fd& made) {
  Fd socket(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!socket) return errno;
  int error = 0;
  if (::connect(socket.get(), to.ai_addr, to.ai_addrlen) != 0) {
    error = errno == EINPROGRESS ? finish(socket.get()) : errno;
  }
  if (error != 0) return error;
  const int on = 1;
  // Ignoring failure: it is only slower without.
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  made = std::move(socket);
  return 0;
}

}  // namespace

Result<Fd> dial(const std::string& host, const std::string& port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int fault = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); fault != 0) {
    return failure(ErrorCode::kUnavailable,
                   fmt::format("look up {}: {}", host, ::gai_strerror(fault)));
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  int error = 0;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    Fd made;
    error = try_one(*one, made);
    if (error == 0) return made;
  }
  return failure(ErrorCode::kUnavailable,
                 fmt::format("connect to {}:{}: {}", host, port, std::strerror(error)));
}

}  // namespace gpusched
