#include "daemon/state_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "os/clock.h"

namespace gpusched {
namespace {

Result<void> make_directories(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    if (::mkdir(parent.c_str(), 0755) != 0 && errno != EEXIST) {
      return failure(ErrorCode::kIo,
                     fmt::format("create directory '{}': {}", parent, std::strerror(errno)));
    }
  }
  // Others must be able to pass through to their own jobs' files, but not to look around.
  if (::mkdir(path.c_str(), 0711) != 0 && errno != EEXIST) {
    return failure(ErrorCode::kIo,
                   fmt::format("create state directory '{}': {}", path, std::strerror(errno)));
  }
  return {};
}

// A daemon that was killed holds its lock a moment longer: until the kernel has taken it down, and
// until a launcher that it was just starting has become one.
bool lock_soon(int fd) {
  constexpr int kTries = 50;
  constexpr std::chrono::milliseconds kPause{20};
  for (int i = 0; ::flock(fd, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK || i == kTries) return false;
    pause_for(kPause);
  }
  return true;
}

std::string lock_holder(int fd) {
  char text[32] = {};
  const ssize_t length = ::pread(fd, text, sizeof text - 1, 0);
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "unknown";
}

}  // namespace

Result<StateLock> take_state_directory(const std::string& path) {
  if (auto made = make_directories(path); !made) return failure(made.error());
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string lock_path = path + "/daemon.lock";
  Fd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) {
    return failure(ErrorCode::kIo, fmt::format("open '{}': {}; is the state directory yours?",
                                               lock_path, std::strerror(errno)));
  }
  // Whoever may open it can hold it, and keep the next daemon from starting. Older versions made it
  // for everybody.
  if (::fchmod(lock.get(), 0600) != 0 && errno != EROFS) {
    return failure(ErrorCode::kIo,
                   fmt::format("keep others from '{}': {}", lock_path, std::strerror(errno)));
  }
  // A file system that cannot lock a directory has the file.
  const bool both =
      lock_soon(lock.get()) && (!directory || lock_soon(directory.get()) || errno != EWOULDBLOCK);
  if (!both) {
    if (errno != EWOULDBLOCK) {
      return failure(ErrorCode::kIo, fmt::format("lock '{}': {}", lock_path, std::strerror(errno)));
    }
    return failure(ErrorCode::kConflict,
                   fmt::format("another daemon (pid {}) already uses the state directory '{}'",
                               lock_holder(lock.get()), path));
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(lock.get(), 0) != 0 ||
      ::pwrite(lock.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    // Only the message of a second daemon depends on it; a full disk must not stop the first.
    errno = 0;
  }
  return StateLock{std::move(lock), std::move(directory)};
}

}  // namespace gpusched
