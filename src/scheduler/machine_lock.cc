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

Reply<MachineLock> MachineLock::take(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  // Another user's, in a directory where the kernel protects files from being created over.
  if (!file && errno == EACCES) file = Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file) {
    return fault(FaultKind::kUnavailable,
                 fmt::format("take the machine lock {}: {}", path, std::strerror(errno)));
  }
  (void)::fchmod(file.get(), 0666);  // Whatever the umask: other users must be able to wait for it.
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
