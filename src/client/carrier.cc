#include "client/carrier.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/time.h"
#include "client/away.h"
#include "os/clock.h"

namespace gpusched {
namespace {

constexpr std::size_t kReadSize = 64 * 1024;

tl::unexpected<Error> failed(const char* doing) {
  return failure(ErrorCode::kIo, fmt::format("{} the daemon: {}", doing, std::strerror(errno)));
}

bool would_wait() { return errno == EAGAIN || errno == EWOULDBLOCK; }

// The connection is gone, whatever the network says of it.
bool is_gone() {
  return errno == ECONNRESET || errno == EPIPE || errno == ETIMEDOUT || errno == ECONNABORTED ||
         errno == EHOSTUNREACH || errno == ENETUNREACH || errno == ENETDOWN;
}

// False: it was not ready for `events` for so long.
Result<bool> await(int fd, short events, Carrier::Milliseconds patience) {
  const Boot deadline = read_clock().boot + patience;
  pollfd entry{fd, events, 0};
  Carrier::Milliseconds left = patience;
  while (true) {
    const auto most = std::clamp<std::int64_t>(left.count(), -1, std::numeric_limits<int>::max());
    const int ready = ::poll(&entry, 1, static_cast<int>(most));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return failed("wait for");
    if (patience.count() < 0) continue;
    left = std::chrono::ceil<Carrier::Milliseconds>(deadline - read_clock().boot);
    left = std::max(left, Carrier::Milliseconds{0});
  }
}

struct Attempt {
  Fd fd;
  int error = 0;
};

Attempt connect_to(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return {Fd(), ENAMETOOLONG};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return {Fd(), errno};
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINTR) return {Fd(), errno};
  }
  return {std::move(fd), 0};
}

}  // namespace

Result<Carrier> Carrier::connect(const std::vector<std::string>& sockets) {
  std::string refused;
  for (const std::string& path : sockets) {
    Attempt attempt = connect_to(path);
    if (attempt.fd) return Carrier(std::move(attempt.fd));
    if (attempt.error == ENOENT || attempt.error == ECONNREFUSED || attempt.error == ENOTDIR) {
      continue;
    }
    if (attempt.error == ENAMETOOLONG) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("the socket path {} is longer than the {} bytes a Unix socket "
                                 "may have; choose a shorter one",
                                 path, sizeof(sockaddr_un{}.sun_path) - 1));
    }
    const ErrorCode code =
        attempt.error == EACCES ? ErrorCode::kForbidden : ErrorCode::kUnavailable;
    if (refused.empty()) {
      refused = fmt::format("connect to {}: {}", path, std::strerror(attempt.error));
    }
    if (sockets.size() == 1) return failure(code, refused);
  }
  if (!refused.empty()) return failure(ErrorCode::kUnavailable, refused);
  return failure(
      ErrorCode::kUnavailable,
      fmt::format("no gpusched daemon answers at {}; start one with 'gpusched serve', or "
                  "'{}systemctl {}start gpuschedd' where it is installed as a service",
                  fmt::join(sockets, " or "), ::geteuid() == 0 ? "" : "sudo ",
                  ::geteuid() == 0 ? "" : "start gpuschedd' or 'systemctl --user "));
}

Result<Carrier> Carrier::connect(const TcpAddress& address) {
  Fd fd(::socket(address.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!fd) return failed("make a socket for");
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.address), address.size) !=
         0) {
    if (errno == EINTR) continue;
    return failure(ErrorCode::kUnavailable,
                   fmt::format("connect to {}: {}", address.text(), std::strerror(errno)));
  }
  return Carrier(std::move(fd));
}

Result<void> Carrier::send(std::string_view data, Milliseconds patience) {
  while (!data.empty()) {
    const ssize_t sent = ::send(fd_.get(), data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      data.remove_prefix(static_cast<std::size_t>(sent));
    } else if (would_wait()) {
      auto ready = await(fd_.get(), POLLOUT, patience);
      if (!ready) return failure(ready.error());
      if (!*ready) return daemon_silent(patience);
    } else if (is_gone()) {
      // It may have refused early, and said why before it closed: the answer is read anyway.
      return {};
    } else if (errno != EINTR) {
      return failed("send to");
    }
  }
  return {};
}

Result<std::size_t> Carrier::send_some(std::string_view data) {
  const ssize_t sent = ::send(fd_.get(), data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (would_wait() || errno == EINTR) return 0;
  if (errno == EPIPE || errno == ECONNRESET) return daemon_lost("closed the connection");
  return failed("send to");
}

Result<Carrier::Came> Carrier::receive(std::string& to, Milliseconds patience) {
  auto ready = await(fd_.get(), POLLIN, patience);
  if (!ready) return failure(ready.error());
  if (!*ready) return Came::kNothing;
  // Not filled first: of a short answer only one page is touched.
  if (!piece_) piece_.reset(new char[kReadSize]);
  ssize_t got = 0;
  do {
    got = ::recv(fd_.get(), piece_.get(), kReadSize, 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && !is_gone()) return failed("read from");
  if (got <= 0) return Came::kEnd;
  to.append(piece_.get(), static_cast<std::size_t>(got));
  return Came::kBytes;
}

bool Carrier::quiet() const {
  pollfd entry{fd_.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) == 0;
}

}  // namespace gpusched
