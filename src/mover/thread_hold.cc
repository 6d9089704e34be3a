#include "mover/thread_hold.h"

#include <dirent.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "os/clock.h"

namespace gpusched::mover {
namespace {

// A thread that is deep in the kernel stops when it comes out of it.
constexpr std::chrono::seconds kStopMost{10};
// One who died with threads in its hold lets go of them a moment later.
constexpr std::chrono::seconds kLetGoMost{2};
constexpr std::chrono::milliseconds kLookAgainHold{1};
constexpr int kPassesMost = 200;

std::string task_path(pid_t process, pid_t thread) {
  return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread);
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> found;
  DIR* entries = ::opendir(("/proc/" + std::to_string(process) + "/task").c_str());
  if (entries == nullptr) return found;
  while (const dirent* entry = ::readdir(entries)) {
    if (const long id = std::strtol(entry->d_name, nullptr, 10); id > 0) {
      found.push_back(static_cast<pid_t>(id));
    }
  }
  ::closedir(entries);
  return found;
}

// Who holds it already; 0: nobody.
long tracer_of(pid_t process, pid_t thread) {
  std::ifstream status(task_path(process, thread) + "/status");
  constexpr std::string_view kKey = "TracerPid:";
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kKey)) return std::strtol(line.c_str() + kKey.size(), nullptr, 10);
  }
  return 0;
}

bool ptrace_it(int request, pid_t thread, std::intptr_t data = 0) {
  return ::ptrace(static_cast<__ptrace_request>(request), thread, nullptr,
                  reinterpret_cast<void*>(data)) == 0;
}

enum class Seized { kYes, kGone, kNo };

Seized seize(pid_t process, pid_t thread) {
  const Boot deadline = read_clock().boot + kLetGoMost;
  while (!ptrace_it(PTRACE_SEIZE, thread)) {
    if (errno == ESRCH) return Seized::kGone;
    const int code = errno;
    const char state = state_of_thread(process, thread);
    if (state == 0 || state == 'Z' || state == 'X') return Seized::kGone;
    if (code != EPERM || tracer_of(process, thread) == 0 || read_clock().boot >= deadline) {
      errno = code;
      return Seized::kNo;
    }
    pause_for(kLookAgainHold);
  }
  ptrace_it(PTRACE_INTERRUPT, thread);
  return Seized::kYes;
}

std::string why_not_seized(pid_t process, pid_t thread, int code) {
  std::string text = "thread " + std::to_string(thread) + " of process " + std::to_string(process) +
                     " cannot be stopped: ";
  if (const long tracer = tracer_of(process, thread); code == EPERM && tracer != 0) {
    return text + "process " + std::to_string(tracer) + " debugs it";
  }
  text += std::strerror(code);
  if (code != EPERM) return text;
  return text + " (it takes root, or the same user where kernel.yama.ptrace_scope is 0)";
}

}  // namespace

char state_of_thread(pid_t process, pid_t thread) {
  std::ifstream file(task_path(process, thread) + "/stat");
  std::string line;
  std::getline(file, line);
  // The name in front may have any characters, so the last bracket counts.
  const std::size_t bracket = line.rfind(')');
  return bracket == std::string::npos || bracket + 2 >= line.size() ? '\0' : line[bracket + 2];
}

ThreadHold::~ThreadHold() { let_go(); }

bool ThreadHold::holds(pid_t process) const {
  return std::ranges::any_of(held_, [&](const Held& each) { return each.process == process; });
}

// True: there were some that were not held yet.
Result<bool> ThreadHold::seize_new(pid_t process, pid_t spared) {
  bool some = false;
  for (const pid_t thread : threads_of(process)) {
    if (thread == spared) continue;
    const bool known =
        std::ranges::any_of(held_, [&](const Held& each) { return each.thread == thread; });
    if (known) continue;
    switch (seize(process, thread)) {
      case Seized::kYes:
        held_.push_back({process, thread});
        some = true;
        break;
      case Seized::kGone:
        break;
      case Seized::kNo:
        return failure(ErrorCode::kForbidden, why_not_seized(process, thread, errno));
    }
  }
  return some;
}

Result<void> ThreadHold::wait_until_stopped() {
  const Boot deadline = read_clock().boot + kStopMost;
  while (true) {
    bool all = true;
    for (Held& each : held_) {
      if (each.stopped) continue;
      int status = 0;
      const pid_t got = ::waitpid(each.thread, &status, __WALL | WNOHANG);
      if (got == 0) {
        all = false;
      } else if (got < 0 || !WIFSTOPPED(status)) {
        each.thread = 0;  // Ended.
      } else {
        each.stopped = true;
        // Stopped on the way to a signal, and not by us.
        if (status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP) each.signal = WSTOPSIG(status);
      }
    }
    std::erase_if(held_, [](const Held& each) { return each.thread == 0; });
    if (all) return {};
    if (read_clock().boot >= deadline) {
      return failure(ErrorCode::kUnavailable, "a thread of the job does not stop");
    }
    pause_for(kLookAgainHold);
  }
}

Result<void> ThreadHold::add(pid_t process, pid_t spared) {
  for (int pass = 0; pass < kPassesMost; ++pass) {
    const auto some = seize_new(process, spared);
    const auto stopped = some ? wait_until_stopped() : Result<void>(failure(some.error()));
    if (!stopped) {
      let_go(process);
      return stopped;
    }
    // Nobody who could start another one runs any more.
    if (!*some) return {};
  }
  let_go(process);
  return failure(ErrorCode::kUnavailable,
                 "process " + std::to_string(process) + " starts threads without end");
}

void ThreadHold::let_go(pid_t process) {
  for (const Held& each : held_) {
    if (each.process != process) continue;
    if (!each.stopped) {
      // Only what is stopped can be let go of; a moment, else the end of this process does it.
      const Boot deadline = read_clock().boot + kLetGoMost;
      while (::waitpid(each.thread, nullptr, __WALL | WNOHANG) == 0 &&
             read_clock().boot < deadline) {
        pause_for(kLookAgainHold);
      }
    }
    ptrace_it(PTRACE_DETACH, each.thread, each.signal);
  }
  std::erase_if(held_, [process](const Held& each) { return each.process == process; });
}

void ThreadHold::let_go() {
  while (!held_.empty()) let_go(held_.front().process);
}

}  // namespace gpusched::mover
