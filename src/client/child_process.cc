#include "client/child_process.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>

namespace gpusched {

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  wait();
}

int ChildProcess::wait() {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  const bool exited = ended == pid_ && WIFEXITED(status);
  pid_ = -1;
  return exited ? WEXITSTATUS(status) : -1;
}

}  // namespace gpusched
