// The scheduler library through the daemon, by its public header alone: threads. Forks beside
// threads are in tests/support/scheduler_forks.h: AddressSanitizer of g++ 12 keeps its allocator's
// lock across a fork, so such a child may hang here.
#include <gpusched/scheduler.h>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "scheduler/test_requests.h"
#include "tests/support/scheduler_service.h"

namespace {

using namespace gpusched::library;
using gpusched::GpuScheduler;
using gpusched::Mode;
using gpusched::SchedulerOptions;

class DaemonThreads : public ::testing::Test {
 protected:
  SchedulerOptions options() {
    SchedulerOptions options;
    options.mode = Mode::kDaemon;
    options.application = "trainer";
    options.socket = service_.socket();
    return options;
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

}  // namespace
