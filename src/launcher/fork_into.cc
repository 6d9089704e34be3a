#include "launcher/fork_into.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string>

#include "os/fd.h"

namespace gpusched {
namespace {

// An old kernel or a sandbox: the child is moved in before it is let go. It waits until then.
pid_t fork_and_move(int leaf_fd) {
  const pid_t child = ::fork();
  if (child <= 0) return child;
  const std::string pid = std::to_string(child);
  const Fd members(::openat(leaf_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC));
  if (members && ::write(members.get(), pid.data(), pid.size()) > 0) return child;
  const int error = errno;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  errno = error;
  return -1;
}

}  // namespace

pid_t fork_into(int leaf_fd) {
  if (leaf_fd < 0) return ::fork();
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.cgroup = static_cast<std::uint64_t>(leaf_fd);
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  const bool known = errno != ENOSYS && errno != EPERM && errno != E2BIG && errno != EINVAL;
  if (pid >= 0 || known) return static_cast<pid_t>(pid);
  return fork_and_move(leaf_fd);
}

}  // namespace gpusched
