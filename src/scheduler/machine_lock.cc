#include "scheduler/machine_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gpusched::library {

std::string default_lock_path() {
  // Where every user may make files, and reboots empty it.
  const bool usual = ::access("/run/lock", W_OK) == 0;
  return std::string(usual ? "/run/lock" : "/tmp") + "/gpusched-scheduler.lock";
}

namespace {

// Only a file that we have just made is opened to others: under this name there could be a link to
// somebody's file.
Fd open_lock(const std::string& path) {
  constexpr int kTries = 3;  // It may come or go between two calls.
  for (int i = 0; i < kTries; ++i) {
    Fd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (made) {
      (void)::fchmod(made.get(), 0666);  // Whatever the umask: others must be able to wait for it.
      return made;
    }
    if (errno != EEXIST) return made;
    Fd found(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW));
    if (!found && errno == ENOENT) continue;
    struct stat about {};
    if (found &&
        (::fstat(found.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_nlink > 1)) {
      errno = EINVAL;
      return {};
    }
    return found;
  }
  return {};
}

}  // namespace

Reply<MachineLock> MachineLock::take(const std::string& path) {
  Fd file = open_lock(path);
  if (!file) {
    const std::string why =
        errno == EINVAL ? std::string("it is not a plain file of its own") : std::strerror(errno);
    return fault(FaultKind::kUnavailable, fmt::format("take the machine lock {}: {}", path, why));
  }
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_SETLK, &lock) != 0) {
    lock.l_type = F_WRLCK;
    const bool known = ::fcntl(file.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    return fault(FaultKind::kUnavailable,
                 fmt::format("another program{} schedules the cards of this machine; run the "
                             "gpusched daemon to share them",
                             known ? fmt::format(" (process {})", lock.l_pid) : std::string()));
  }
  return MachineLock(std::move(file));
}

}  // namespace gpusched::library
