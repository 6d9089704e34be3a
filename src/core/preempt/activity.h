// Does an idle holder that is aside want its cards again? Told by looks at its threads: while it is
// idle its habits are learnt, afterwards it is compared with them. Pure; the looks come from /proc
// (jobdir/thread_look.h).
//
// Measured on an H200 (docs/preemption.md): a call to the card of a process that is checkpointed
// puts its thread to sleep at a futex, without a time limit, at an address where nobody waited
// before, and it is not woken until the process is back. CPU time says nothing: what a program does
// without its card it can do while it is aside.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"

namespace gpusched {

enum class ThreadWait : std::uint8_t {
  kNone,     // It runs, or wants to.
  kFutex,    // For another thread, or for the driver, until it is woken.
  kTimed,    // The same, but not for ever.
  kOther,    // For the network, a clock, a terminal.
  kUnknown,  // The kernel does not tell us.
};

struct ThreadLook {
  int id = 0;
  std::uint64_t turns = 0;  // Times it was given a CPU since its start.
  ThreadWait wait = ThreadWait::kUnknown;
  std::uint64_t address = 0;  // Of the futex; 0: not known.
};
// Without the driver's own threads.
struct HolderLook {
  Boot at{};
  std::vector<ThreadLook> threads;
};

struct ActivityRules {
  int looks_least = 2;  // Before its habits are known.
  // A thread waits at a new address, or, where addresses are not known, at a futex for the first
  // time; and was not woken for so long.
  Microseconds stuck_for{Seconds{2}};
  // The same of a thread that used to wait at another one: it may have a new lock of its own.
  Microseconds other_lock_for{Seconds{5}};
  // Where not even that is known: a thread that woke so often does so no more.
  double turns_least = 0.5;  // Per second.
  Microseconds silent_for{Seconds{5}};
};

class Activity {
 public:
  explicit Activity(ActivityRules rules = {}) : rules_(rules) {}
  // A look while it is idle on its cards.
  void learn(const HolderLook& look);
  // A look while it is aside. True: a call of it waits for the card. Where too little was learnt
  // before, the look serves for that.
  bool judge(const HolderLook& look);

 private:
  struct Habit {
    Boot since{};
    std::uint64_t turns = 0;
    double turns_per_second = 0;
    bool at_futex = false;
  };
  // Of a thread that has not been given a CPU since.
  struct Stay {
    Boot since{};
    std::uint64_t turns = 0;
    ThreadWait wait = ThreadWait::kNone;
    std::uint64_t address = 0;
  };
  bool is_stuck(const HolderLook& look, const ThreadLook& thread);

  ActivityRules rules_;
  int looks_ = 0;
  std::set<std::uint64_t> addresses_;
  std::map<int, Habit> habits_;
  std::map<int, Stay> stays_;
};

}  // namespace gpusched
