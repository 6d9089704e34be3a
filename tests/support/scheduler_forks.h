// For tests: a program that forks while it uses the scheduler library. Built without sanitizers:
// AddressSanitizer of g++ 12 keeps its allocator's lock across a fork, so that a child of a
// program with threads may hang in its first allocation.
#pragma once

#include <gpusched/scheduler.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace forks {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline gpusched::GpuRequest small_part() {
  gpusched::GpuRequest request;
  request.vram_bytes = 1ULL << 30;
  request.share_percent = 1;
  return request;
}

// Runs in a child, which ends with what it returns; a child that hangs is ended.
template <class Work>
int code_of_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(work());
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

inline int use_as_child(gpusched::GpuScheduler& scheduler,
                        std::vector<gpusched::Scheduling>& parents,
                        const gpusched::Scheduling& waits) {
  const auto refused = parents[0].Release();
  if (refused || refused.error().kind != gpusched::ErrorKind::kUnknown) return 1;
  if (!parents[0].Check()) return 2;
  parents[0] = gpusched::Scheduling();
  parents.clear();
  if (scheduler.Wait(waits.id(), milliseconds(0))) return 3;
  gpusched::GpuRequest first = small_part();
  first.critical = true;  // Before the parent's, which waits for a whole card.
  auto own = scheduler.ScheduleGpuResources({first});
  if (!own || !(*own)[0].granted()) return 4;
  if (scheduler.GetCurrentSchedulings().value().size() != 3) return 5;
  { const gpusched::GpuScheduler gone = std::move(scheduler); }  // It asked for nothing.
  // Ends with what it holds; the daemon takes that back.
  return (*own)[0].Check() ? 0 : 6;
}

// On two empty cards. A child has what it asks for and gives nothing of its parent back. What went
// wrong; empty: nothing.
inline std::string child_of_holder(gpusched::GpuScheduler& scheduler) {
  auto parents = scheduler.ScheduleGpuResources({gpusched::GpuRequest{}, small_part()});
  if (!parents) return parents.error().message;
  auto waits = scheduler.ScheduleGpuResources({gpusched::GpuRequest{}});
  if (!waits) return waits.error().message;
  if ((*waits)[0].granted()) return "a third card was found";
  const int code = code_of_child([&] { return use_as_child(scheduler, *parents, (*waits)[0]); });
  if (code != 0) return "the child ended with " + std::to_string(code);
  if (!(*parents)[0].Check() || !(*parents)[1].Check()) return "the parent lost a card";
  const auto waiting = scheduler.GetWaitingResources();
  if (!waiting || waiting->size() != 1) return "the parent's waiting request is lost";
  parents->clear();
  if (!(*waits)[0].Release()) return "the waiting request cannot be withdrawn";
  // Both cards: they come only if nothing of the child is left.
  gpusched::GpuRequest both;
  both.gpus = 2;
  auto asked = scheduler.ScheduleGpuResources({both});
  if (!asked) return asked.error().message;
  if ((*asked)[0].granted() || scheduler.Wait((*asked)[0].id(), seconds(60))) return "";
  return "something of the child is left";
}

inline int ask_in_rounds(gpusched::GpuScheduler& scheduler) {
  for (int round = 0; round < 5; ++round) {
    auto asked = scheduler.ScheduleGpuResources({small_part(), small_part()});
    if (!asked) return 1;
    for (const gpusched::Scheduling& one : *asked) {
      if (!one.granted() && !scheduler.Wait(one.id(), seconds(30))) return 2;
    }
  }
  return 0;
}

// Threads ask all the time, so that some of them have every lock there is at a fork. The answers
// of parent and child must not mix.
inline std::string children_of_threads(gpusched::GpuScheduler& scheduler, int children) {
  std::atomic<bool> over{false};
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        auto asked = scheduler.ScheduleGpuResources({small_part()});
        if (!asked) {
          ++failed;
        } else if (!(*asked)[0].granted() && !scheduler.Wait((*asked)[0].id(), seconds(60))) {
          ++failed;
        }
      }
    });
  }
  std::string wrong;
  for (int i = 0; i < children && wrong.empty(); ++i) {
    const int code = code_of_child([&] { return ask_in_rounds(scheduler); });
    if (code != 0) wrong = "child " + std::to_string(i) + " ended with " + std::to_string(code);
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  return failed > 0 ? wrong + " " + std::to_string(failed) + " requests failed" : wrong;
}

}  // namespace forks
