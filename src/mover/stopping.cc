#include "mover/stopping.h"

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "jobdir/cgroup.h"
#include "mover/thread_hold.h"
#include "os/clock.h"
#include "os/fd.h"

namespace gpusched::mover {
namespace {

// A thread in the kernel stops before it returns to its program, however long that takes.
constexpr std::chrono::seconds kStandStill{2};
constexpr std::chrono::milliseconds kStill{1};

template <class Condition>
bool wait_a_little(Condition condition) {
  const Boot deadline = read_clock().boot + kStandStill;
  while (!condition()) {
    if (read_clock().boot >= deadline) return false;
    pause_for(kStill);
  }
  return true;
}

bool set_group(const Where& where, bool frozen) {
  if (where.leaf.empty()) return false;
  const Fd leaf(::open(where.leaf.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return leaf && freeze_leaf(leaf.get(), frozen);
}

bool is_meant(const std::vector<pid_t>& only, pid_t pid) {
  return only.empty() || std::ranges::find(only, pid) != only.end();
}

// Those that a process forked before the signal reached it come in the next pass.
void send_stops(const Where& where, const std::vector<pid_t>& only) {
  std::set<pid_t> told;
  for (bool more = true; more;) {
    more = false;
    for (const ProcessEntry& entry : processes_of(where)) {
      if (!is_meant(only, entry.pid) || !told.insert(entry.pid).second) continue;
      more = ::kill(entry.pid, SIGSTOP) == 0 || more;
    }
  }
}

bool is_stopped(const SparedThread& spared) {
  const char state = state_of_thread(spared.process, spared.thread);
  return state == 'T' || state == 't';
}

}  // namespace

void stop_all(const Where& where, const std::vector<pid_t>& only,
              const std::vector<SparedThread>& spared) {
  if (set_group(where, true)) {
    wait_a_little([&] { return is_frozen(where.leaf); });
    return;
  }
  send_stops(where, only);
  // The signal is taken by the one thread that is not held; the others find it when let go.
  wait_a_little([&] {
    return std::ranges::all_of(spared, [](const SparedThread& each) {
      return state_of_thread(each.process, each.thread) == 0 || is_stopped(each);
    });
  });
}

std::optional<pid_t> wake_all(const Where& where, const std::vector<SparedThread>& spared) {
  if (set_group(where, false)) {
    wait_a_little([&] { return !is_frozen(where.leaf); });
  } else {
    for (const ProcessEntry& entry : processes_of(where)) {
      if (entry.stopped) ::kill(entry.pid, SIGCONT);
    }
  }
  std::optional<pid_t> stopped;
  wait_a_little([&] {
    stopped.reset();
    for (const SparedThread& each : spared) {
      if (is_stopped(each)) stopped = each.process;
    }
    return !stopped;
  });
  return stopped;
}

}  // namespace gpusched::mover
