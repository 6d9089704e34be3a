// The scheduler library through the daemon, by its public header alone: threads and forks.
#include <gpusched/scheduler.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "scheduler/test_requests.h"
#include "tests/support/scheduler_service.h"

namespace {

using namespace gpusched::library;
using gpusched::ErrorKind;
using gpusched::GpuScheduler;
using gpusched::Mode;
using gpusched::RequestId;
using gpusched::SchedulerOptions;
using gpusched::Scheduling;

class DaemonThreads : public ::testing::Test {
 protected:
  SchedulerOptions options() {
    SchedulerOptions options;
    options.mode = Mode::kDaemon;
    options.application = "trainer";
    options.socket = service_.socket();
    return options;
  }
  // Runs in a child, which ends with what it returns; a child that hangs is ended.
  template <class Work>
  static pid_t in_child(Work work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::alarm(60);
    ::_exit(work());
  }
  static int end_of(pid_t child) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
  }

  TestService service_{2};
};

TEST_F(DaemonThreads, HoweverManyWaitTheyShareTwoConnections) {
  constexpr int kThreads = 64;
  GpuScheduler scheduler(options());
  auto held = scheduler.ScheduleGpuResources({whole(), whole()});
  ASSERT_TRUE(held) << held.error().message;
  auto asked =
      scheduler.ScheduleGpuResources(std::vector<gpusched::GpuRequest>(kThreads, whole("waits")));
  ASSERT_TRUE(asked) << asked.error().message;
  std::atomic<int> served{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, id = (*asked)[static_cast<std::size_t>(i)].id()] {
      // So short that those who read for all go while others still wait.
      auto mine = scheduler.Wait(id, std::chrono::milliseconds{1});
      if (!mine) mine = scheduler.Wait(id, 60s);
      ASSERT_TRUE(mine) << mine.error().message;
      EXPECT_LE(service_.clients(), 3);  // One that was just closed may still be counted.
      ++served;
    });
  }
  held->clear();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, kThreads);
  EXPECT_TRUE(scheduler.GetCurrentSchedulings().value().empty());
}

TEST_F(DaemonThreads, AChildHasWhatItAsksForAndGivesNothingOfItsParentBack) {
  GpuScheduler scheduler(options());
  auto parents = scheduler.ScheduleGpuResources({whole("parent's"), part(1)});
  ASSERT_TRUE(parents) << parents.error().message;
  auto waits = scheduler.ScheduleGpuResources({whole("waits")});
  ASSERT_TRUE(waits && !(*waits)[0].granted());
  const pid_t child = in_child([&] {
    const auto refused = (*parents)[0].Release();
    if (refused || refused.error().kind != ErrorKind::kUnknown) return 1;
    if (!(*parents)[0].Check()) return 2;
    (*parents)[0] = Scheduling();
    parents->clear();
    if (scheduler.Wait((*waits)[0].id(), 0ms)) return 3;
    gpusched::GpuRequest first = part(1);
    first.critical = true;  // Before the parent's, which waits for a whole card.
    auto own = scheduler.ScheduleGpuResources({first});
    if (!own || !(*own)[0].granted()) return 4;
    if (scheduler.GetCurrentSchedulings().value().size() != 3) return 5;
    { const GpuScheduler gone = std::move(scheduler); }  // Withdraws what it asked for: nothing.
    // Ends with what it holds; the daemon takes that back.
    return (*own)[0].Check() ? 0 : 6;
  });
  EXPECT_EQ(end_of(child), 0);
  EXPECT_TRUE((*parents)[0].Check());
  EXPECT_TRUE((*parents)[1].Check());
  ASSERT_EQ(scheduler.GetWaitingResources().value().size(), 1u);
  // Both cards: it comes only if nothing of the child is left.
  parents->clear();
  gpusched::GpuRequest both = whole("both");
  both.gpus = 2;
  EXPECT_TRUE((*waits)[0].Release());
  auto asked = scheduler.ScheduleGpuResources({both});
  ASSERT_TRUE(asked) << asked.error().message;
  if (!(*asked)[0].granted()) {
    EXPECT_TRUE(scheduler.Wait((*asked)[0].id(), kPatience));
  }
}

TEST_F(DaemonThreads, AnswersOfParentAndChildDoNotMix) {
  GpuScheduler scheduler(options());
  ASSERT_TRUE(scheduler.ResetScheduler());
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  // At a fork some of these have every lock there is.
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        auto asked = scheduler.ScheduleGpuResources({part(1)});
        ASSERT_TRUE(asked) << asked.error().message;
        const Scheduling& mine = (*asked)[0];
        if (!mine.granted()) {
          ASSERT_TRUE(scheduler.Wait(mine.id(), 60s));
        }
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    const pid_t child = in_child([&] {
      for (int round = 0; round < 5; ++round) {
        auto asked = scheduler.ScheduleGpuResources({part(1), part(1)});
        if (!asked) return 1;
        for (Scheduling& one : *asked) {
          if (!one.granted() && !scheduler.Wait(one.id(), 30s)) return 2;
        }
      }
      return 0;
    });
    EXPECT_EQ(end_of(child), 0);
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
