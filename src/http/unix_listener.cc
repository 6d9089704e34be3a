#include "http/unix_listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/number.h"

namespace gpusched {
namespace {

constexpr int kBacklog = 512;
constexpr int kFirstInherited = 3;  // SD_LISTEN_FDS_START.

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty()) return failure(ErrorCode::kInvalid, "the socket's path is empty");
  if (path.size() >= sizeof address.sun_path) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("the socket's path has {} bytes, but the kernel takes at most {}: "
                               "{}; choose a shorter one with --socket",
                               path.size(), sizeof address.sun_path - 1, path));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Result<Fd> new_socket() {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) {
    return failure(ErrorCode::kIo, fmt::format("make a Unix socket: {}", std::strerror(errno)));
  }
  return fd;
}

// Makes way for a new socket: nothing there, or a socket that nobody listens on.
Result<void> clear_the_way(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return failure(ErrorCode::kIo,
                   fmt::format("look at the socket {}: {}", path, std::strerror(errno)));
  }
  if (!S_ISSOCK(found.st_mode)) {
    return failure(
        ErrorCode::kConflict,
        fmt::format("{} is not a socket; move it away or choose another --socket", path));
  }
  Result<Fd> probe = new_socket();
  if (!probe) return failure(probe.error());
  const int connected =
      ::connect(probe->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  // EAGAIN: its queue of clients is full, so somebody listens.
  if (connected == 0 || errno == EAGAIN) {
    return failure(ErrorCode::kConflict,
                   fmt::format("a daemon already listens on the socket {}", path));
  }
  if (errno != ECONNREFUSED && errno != ENOENT) {
    return failure(ErrorCode::kIo,
                   fmt::format("find out who listens on {}: {}", path, std::strerror(errno)));
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return failure(ErrorCode::kIo,
                   fmt::format("remove the stale socket {}: {}", path, std::strerror(errno)));
  }
  return {};
}

bool is_listening_unix_stream(int fd) {
  struct stat found {};
  if (::fstat(fd, &found) != 0 || !S_ISSOCK(found.st_mode)) return false;
  const auto option = [fd](int name) {
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
  };
  return option(SO_DOMAIN) == AF_UNIX && option(SO_TYPE) == SOCK_STREAM &&
         option(SO_ACCEPTCONN) == 1;
}

int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  int number = 0;
  return text != nullptr && whole_number(text, number) ? number : 0;
}

}  // namespace

Result<Fd> listen_on_unix(const std::string& path, mode_t mode) {
  const Result<sockaddr_un> address = address_of(path);
  if (!address) return failure(address.error());
  if (Result<void> cleared = clear_the_way(path, *address); !cleared) {
    return failure(cleared.error());
  }
  Result<Fd> fd = new_socket();
  if (!fd) return fd;
  const auto fault = [&path](const char* what) {
    return failure(ErrorCode::kIo, fmt::format("{} {}: {}", what, path, std::strerror(errno)));
  };
  if (::bind(fd->get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    return fault("bind the socket");
  }
  // Nobody can connect before listen(), so the mode is never wrong for anybody.
  if (::chmod(path.c_str(), mode) != 0) return fault("set the mode of the socket");
  if (::listen(fd->get(), kBacklog) != 0) return fault("listen on the socket");
  return fd;
}

std::optional<Fd> inherited_listener() {
  const int owner = number_in_environment("LISTEN_PID");
  const int count = number_in_environment("LISTEN_FDS");
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  if (owner != ::getpid()) return std::nullopt;
  for (int fd = kFirstInherited; fd < kFirstInherited + count; ++fd) {
    if (!is_listening_unix_stream(fd)) continue;
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    return Fd(fd);
  }
  return std::nullopt;
}

void remove_socket_file(const std::string& path, int listener) {
  // The file's inode is not that of the descriptor, so ask the way a client would: is the
  // socket behind this name bound to the same address as ours, and still a socket?
  sockaddr_un bound{};
  socklen_t size = sizeof bound;
  struct stat found {};
  if (::getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return;
  if (path != bound.sun_path || ::lstat(path.c_str(), &found) != 0) return;
  if (S_ISSOCK(found.st_mode)) ::unlink(path.c_str());
}

}  // namespace gpusched
