// The scheduler library through its public header alone: what only one of its backends has.
#include <gpusched/scheduler.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "scheduler/test_requests.h"
#include "tests/support/scheduler_service.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace gpusched::library;
using gpusched::ErrorKind;
using gpusched::GpuRequest;
using gpusched::GpuScheduler;
using gpusched::Mode;
using gpusched::SchedulerOptions;
using gpusched::Scheduling;

SchedulerOptions embedded(int count, const std::string& lock) {
  SchedulerOptions options;
  options.mode = Mode::kEmbedded;
  options.application = "trainer";
  options.cards = cards(count);
  options.lock_path = lock;
  return options;
}

TEST(EmbeddedScheduler, AFailedCardIsAnErrorAndComesBack) {
  gpusched::testing::TemporaryDirectory directory;
  std::atomic<bool> works{true};
  SchedulerOptions options = embedded(2, directory / "lock");
  options.look_every = 0ms;
  options.look = [&works] {
    auto now = cards(2);
    now[1].usable = works;
    return now;
  };
  GpuScheduler scheduler(options);
  auto granted = scheduler.ScheduleGpuResources({whole(), whole()});
  ASSERT_TRUE(granted);
  works = false;
  auto third = scheduler.ScheduleGpuResources({whole("third")});
  ASSERT_TRUE(third);
  EXPECT_FALSE((*third)[0].granted());
  const auto lost = (*granted)[1].Check();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, ErrorKind::kCardLost);
  EXPECT_TRUE((*granted)[0].Check());
  EXPECT_FALSE(scheduler.GetWaitingResources().value().at(0).reason.empty());
  works = true;
  auto back = scheduler.Wait((*third)[0].id(), kPatience);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->cards()[0].number, 1);
}

TEST(EmbeddedScheduler, WhatIsKnownOfTheCardsIsNotOldWhenItGrants) {
  gpusched::testing::TemporaryDirectory directory;
  std::atomic<int> looks{0};
  SchedulerOptions options = embedded(1, directory / "lock");
  options.look_every = std::chrono::hours{1};
  options.look = [&looks] {
    ++looks;
    return cards(1);
  };
  GpuScheduler scheduler(options);
  auto first = scheduler.ScheduleGpuResources({whole()});
  ASSERT_TRUE(first && (*first)[0].granted());
  auto second = scheduler.ScheduleGpuResources({whole("second")});
  ASSERT_TRUE(second);
  // Until the first look is too old to decide on.
  EXPECT_FALSE(scheduler.Wait((*second)[0].id(), 1100ms));
  const int before = looks;
  ASSERT_TRUE((*first)[0].Release());
  auto granted = scheduler.Wait((*second)[0].id(), kPatience);
  ASSERT_TRUE(granted) << granted.error().message;
  EXPECT_GT(looks, before);
}

TEST(EmbeddedScheduler, AWaitingRequestEndsWithItsTimeout) {
  gpusched::testing::TemporaryDirectory directory;
  GpuScheduler scheduler(embedded(1, directory / "lock"));
  auto first = scheduler.ScheduleGpuResources({whole()});
  GpuRequest short_of_time = whole("late");
  short_of_time.timeout = 50ms;
  auto second = scheduler.ScheduleGpuResources({short_of_time});
  ASSERT_TRUE(second);
  const auto waited = scheduler.Wait((*second)[0].id(), kPatience);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().kind, ErrorKind::kTimeout) << waited.error().message;
  EXPECT_TRUE(scheduler.GetWaitingResources().value().empty());
}

TEST(EmbeddedScheduler, OtherProgramsUseOfACardCounts) {
  gpusched::testing::TemporaryDirectory directory;
  SchedulerOptions options = embedded(1, directory / "lock");
  options.cards[0].used_bytes = 20 * kGiB;
  GpuScheduler scheduler(options);
  auto granted = scheduler.ScheduleGpuResources({part(8), part(2)});
  ASSERT_TRUE(granted);
  EXPECT_FALSE((*granted)[0].granted());
}

TEST(EmbeddedScheduler, TwoProgramsDoNotFight) {
  gpusched::testing::TemporaryDirectory directory;
  const std::string lock = directory / "lock";
  GpuScheduler scheduler(embedded(1, lock));
  auto granted = scheduler.ScheduleGpuResources({whole()});
  ASSERT_TRUE(granted);
  const pid_t child = ::fork();
  if (child == 0) {
    GpuScheduler second(embedded(1, lock));
    const auto refused = second.ScheduleGpuResources({whole()});
    const bool right = !refused.ok() && refused.error().kind == ErrorKind::kUnavailable &&
                       refused.error().message.find("schedules the cards") != std::string::npos;
    // The parent's is not the child's either.
    const bool inherited = scheduler.ScheduleGpuResources({whole()}).ok();
    ::_exit(right && !inherited ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(EmbeddedScheduler, ACrashLeavesNothingBehind) {
  gpusched::testing::TemporaryDirectory directory;
  const std::string lock = directory / "lock";
  int ready[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    GpuScheduler scheduler(embedded(1, lock));
    auto granted = scheduler.ScheduleGpuResources({whole()});
    const char word = granted.ok() ? 'y' : 'n';
    (void)!::write(ready[1], &word, 1);
    ::pause();
  }
  char word = 0;
  ASSERT_EQ(::read(ready[0], &word, 1), 1);
  ASSERT_EQ(word, 'y');
  GpuScheduler scheduler(embedded(1, lock));
  const auto refused = scheduler.ScheduleGpuResources({whole()});
  ASSERT_FALSE(refused);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  // The same object works now.
  EXPECT_TRUE(scheduler.ResetScheduler());
  auto granted = scheduler.ScheduleGpuResources({whole()});
  ASSERT_TRUE(granted) << granted.error().message;
  EXPECT_TRUE((*granted)[0].granted());
}

TEST(DaemonScheduler, IsAnErrorWithoutADaemonAndJoinsOneThatRuns) {
  SchedulerOptions options;
  options.mode = Mode::kDaemon;
  options.socket = "/nonexistent/socket";
  GpuScheduler alone(options);
  const auto away = alone.ScheduleGpuResources({whole()});
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().kind, ErrorKind::kUnavailable);
  EXPECT_FALSE(alone.ResetScheduler());
  const auto current = alone.GetCurrentSchedulings();
  ASSERT_FALSE(current);
  EXPECT_EQ(current.error().kind, ErrorKind::kUnavailable);
  const auto waiting = alone.GetWaitingResources();
  ASSERT_FALSE(waiting);
  EXPECT_EQ(waiting.error().kind, ErrorKind::kUnavailable);

  gpusched::library::TestService service(2);
  options.mode = Mode::kAuto;
  options.socket = service.socket();
  GpuScheduler joined(options);
  auto granted = joined.ScheduleGpuResources({whole()});
  ASSERT_TRUE(granted) << granted.error().message;
  EXPECT_EQ((*granted)[0].cards().size(), 1u);
}

}  // namespace
