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
int finish(int socket, int user) {
  pollfd entries[2] = {{socket, POLLOUT, 0}, {user, 0, 0}};
  int ready = 0;
  do {
    ready = ::poll(entries, 2, kPatience);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return ETIMEDOUT;
  if (entries[1].revents != 0) return ECANCELED;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

// A connection whose other end is gone without a word is noticed within a minute.
void watch_over(int socket) {
  const int on = 1;
  const int idle_s = 15;
  const int every_s = 5;
  const int count = 4;
  const unsigned unheard_ms = 35'000;
  // Ignoring failure: it is only slower without.
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard_ms, sizeof unheard_ms);
}

int try_one(const addrinfo& to, int user, Fd& made) {
  Fd socket(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!socket) return errno;
  int error = 0;
  if (::connect(socket.get(), to.ai_addr, to.ai_addrlen) != 0) {
    error = errno == EINPROGRESS ? finish(socket.get(), user) : errno;
  }
  if (error != 0) return error;
  watch_over(socket.get());
  made = std::move(socket);
  return 0;
}

}  // namespace

Result<Fd> dial(const std::string& host, const std::string& port, int user) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int fault = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); fault != 0) {
    // A name that does not exist will not exist in a second either.
    const ErrorCode code = fault == EAI_AGAIN ? ErrorCode::kUnavailable : ErrorCode::kUnsupported;
    return failure(code, fmt::format("look up {}: {}", host, ::gai_strerror(fault)));
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  int error = 0;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    Fd made;
    error = try_one(*one, user, made);
    if (error == 0) return made;
    if (error == ECANCELED) break;
  }
  return failure(ErrorCode::kUnavailable,
                 fmt::format("connect to {}:{}: {}", host, port, std::strerror(error)));
}

}  // namespace gpusched
