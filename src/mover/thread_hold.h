// Threads of other processes that are kept from running their program, by ptrace: between the
// driver's Checkpoint and its Restore host memory that the driver manages is not mapped, and a
// thread that touches it dies. The one thread in which the driver works is spared.
// Law: the kernel lets go of all of them when this process ends, however it ends. And only the
// thread that holds may let go, so all of this is for one thread.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"

namespace gpusched::mover {

class ThreadHold {
 public:
  ThreadHold() = default;
  ~ThreadHold();
  ThreadHold(const ThreadHold&) = delete;
  ThreadHold& operator=(const ThreadHold&) = delete;

  // All threads of the process but one, those that appear meanwhile, too. When this returns none of
  // them runs its program. It may be stopped or frozen already. What fails holds nothing of it.
  Result<void> add(pid_t process, pid_t spared);
  bool holds(pid_t process) const;
  void let_go(pid_t process);
  void let_go();

 private:
  struct Held {
    pid_t process = 0;
    pid_t thread = 0;
    int signal = 0;  // That it was about to get; it gets it when it is let go.
    bool stopped = false;
  };
  Result<bool> seize_new(pid_t process, pid_t spared);
  Result<void> wait_until_stopped();

  std::vector<Held> held_;
};

// 'T' stopped, 't' held by ptrace, 'S' asleep and so on; 0: there is none.
char state_of_thread(pid_t process, pid_t thread);

}  // namespace gpusched::mover
