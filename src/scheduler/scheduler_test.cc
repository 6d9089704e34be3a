// The scheduler library through its public header alone: the same cases on both backends.
#include <gpusched/scheduler.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "scheduler/test_requests.h"
#include "tests/support/scheduler_service.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace gpusched::library;
using gpusched::CpuUse;
using gpusched::ErrorKind;
using gpusched::GpuRequest;
using gpusched::GpuScheduler;
using gpusched::Mode;
using gpusched::RequestId;
using gpusched::SchedulerOptions;
using gpusched::Scheduling;

enum class Kind { kEmbedded, kDaemon };

class Scheduler : public ::testing::TestWithParam<Kind> {
 protected:
  SchedulerOptions options(int count, const std::string& application = "trainer") {
    SchedulerOptions options;
    options.application = application;
    if (GetParam() == Kind::kDaemon) {
      if (!service_) service_ = std::make_unique<gpusched::library::TestService>(count);
      options.mode = Mode::kDaemon;
      options.socket = service_->socket();
    } else {
      options.mode = Mode::kEmbedded;
      options.cards = cards(count);
      options.cpus = 2;
      options.lock_path = directory_ / "lock";
    }
    return options;
  }
  std::unique_ptr<gpusched::library::TestService> service_;
  gpusched::testing::TemporaryDirectory directory_;
};
INSTANTIATE_TEST_SUITE_P(Both, Scheduler, ::testing::Values(Kind::kEmbedded, Kind::kDaemon),
                         [](const auto& which) {
                           return which.param == Kind::kEmbedded ? "Embedded" : "Daemon";
                         });

TEST_P(Scheduler, GrantsByTurns) {
  GpuScheduler scheduler(options(2));
  auto granted = scheduler.ScheduleGpuResources({part(1), part(1), part(1), part(1), part(1)});
  ASSERT_TRUE(granted) << granted.error().message;
  ASSERT_EQ(granted->size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_TRUE((*granted)[i].granted());
    EXPECT_EQ((*granted)[i].cards().at(0).number, static_cast<int>(i % 2));
    EXPECT_EQ((*granted)[i].visible_devices(), std::to_string(i % 2));
  }
}

TEST_P(Scheduler, NumbersOfGrantsOfEqualCardsDifferByAtMostOne) {
  GpuScheduler scheduler(options(4));
  std::mt19937 random(7);
  std::map<int, int> grants;
  std::vector<Scheduling> held;
  for (int i = 0; i < 200; ++i) {
    GpuRequest small = part(0);
    small.vram_bytes = 64ULL << 20;
    small.share_percent = 0;
    auto granted = scheduler.ScheduleGpuResources({small});
    ASSERT_TRUE(granted) << granted.error().message;
    ASSERT_TRUE((*granted)[0].granted());
    ++grants[(*granted)[0].cards()[0].number];
    held.push_back(std::move((*granted)[0]));
    // Few enough that every card could take every request.
    if (held.size() > 40 || random() % 2 == 0) {
      held.erase(held.begin() + static_cast<long>(random() % held.size()));
    }
    const auto [least, most] = std::minmax({grants[0], grants[1], grants[2], grants[3]});
    ASSERT_LE(most - least, 1);
  }
}

TEST_P(Scheduler, WhatDoesNotFitWaitsAndSaysWhy) {
  GpuScheduler scheduler(options(2));
  auto granted = scheduler.ScheduleGpuResources({whole("a"), whole("b"), whole("c")});
  ASSERT_TRUE(granted) << granted.error().message;
  EXPECT_TRUE((*granted)[1].granted());
  EXPECT_FALSE((*granted)[2].granted());
  const auto waiting = scheduler.GetWaitingResources().value();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].id, (*granted)[2].id());
  EXPECT_EQ(waiting[0].request.name, "c");
  EXPECT_EQ(waiting[0].position, 1);
  EXPECT_NE(waiting[0].reason.find("card"), std::string::npos);
  EXPECT_EQ(scheduler.GetCurrentSchedulings().value().size(), 2u);

  const auto early = scheduler.Wait((*granted)[2].id(), 10ms);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().kind, ErrorKind::kNotYet);
  (*granted)[0] = Scheduling();  // Destroyed: released.
  auto third = scheduler.Wait((*granted)[2].id(), kPatience);
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(third->cards().at(0).number, 0);
  EXPECT_EQ(third->request().name, "c");
  const auto again = scheduler.Wait((*granted)[2].id(), 0ms);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kTaken);
}

TEST_P(Scheduler, CriticalComesBeforeAllThatAreNot) {
  GpuScheduler scheduler(options(1));
  auto first = scheduler.ScheduleGpuResources({whole("first")});
  ASSERT_TRUE(first);
  GpuRequest urgent = whole("urgent");
  urgent.critical = true;
  auto rest = scheduler.ScheduleGpuResources({whole("plain"), urgent});
  ASSERT_TRUE(rest);
  EXPECT_EQ(scheduler.GetWaitingResources().value().size(), 2u);
  first->clear();
  auto granted = scheduler.Wait((*rest)[1].id(), kPatience);
  ASSERT_TRUE(granted) << granted.error().message;
  EXPECT_EQ(granted->request().name, "urgent");
  ASSERT_EQ(scheduler.GetWaitingResources().value().size(), 1u);
  EXPECT_EQ(scheduler.GetWaitingResources().value()[0].request.name, "plain");
}

TEST_P(Scheduler, OfOneCallTheCriticalRequestsAreGrantedFirst) {
  GpuScheduler scheduler(options(1));
  GpuRequest urgent = whole("urgent");
  urgent.critical = true;
  auto asked = scheduler.ScheduleGpuResources({whole("plain"), whole("too"), urgent});
  ASSERT_TRUE(asked) << asked.error().message;
  ASSERT_EQ(asked->size(), 3u);
  EXPECT_FALSE((*asked)[0].granted());
  EXPECT_FALSE((*asked)[1].granted());
  EXPECT_TRUE((*asked)[2].granted());
  EXPECT_EQ((*asked)[2].request().name, "urgent");
}

TEST_P(Scheduler, SaysWhenWhatWaitsIsLikelyToStart) {
  GpuScheduler scheduler(options(1));
  const auto before = std::chrono::system_clock::now();
  auto asked = scheduler.ScheduleGpuResources({whole("a"), whole("b"), whole("c")});
  ASSERT_TRUE(asked) << asked.error().message;
  const auto waiting = scheduler.GetWaitingResources();
  ASSERT_TRUE(waiting) << waiting.error().message;
  ASSERT_EQ(waiting->size(), 2u);
  ASSERT_TRUE((*waiting)[0].estimated_start);
  ASSERT_TRUE((*waiting)[1].estimated_start);
  EXPECT_GE(*(*waiting)[0].estimated_start, before);
  EXPECT_GT(*(*waiting)[1].estimated_start, *(*waiting)[0].estimated_start);
}

TEST_P(Scheduler, LargestValuesAreTakenAsTheyAre) {
  GpuScheduler scheduler(options(1));
  GpuRequest huge = whole("huge");
  huge.vram_bytes = UINT64_MAX;
  const auto never = scheduler.ScheduleGpuResources({huge});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().kind, ErrorKind::kNeverFits);
  EXPECT_EQ(never.error().message,
            "huge: no card can ever hold 18446744073709551615 bytes of VRAM");
  huge.vram_bytes = 1ULL << 60;
  const auto still = scheduler.ScheduleGpuResources({huge});
  ASSERT_FALSE(still);
  EXPECT_EQ(still.error().kind, ErrorKind::kNeverFits);
  EXPECT_TRUE(still.error().message.starts_with("huge: no card can ever hold 1073741824.0 GiB"))
      << still.error().message;

  GpuRequest patient = whole("patient");
  patient.timeout = std::chrono::milliseconds::max();
  auto asked = scheduler.ScheduleGpuResources({whole("first"), patient});
  ASSERT_TRUE(asked) << asked.error().message;
  ASSERT_EQ(scheduler.GetWaitingResources().value().size(), 1u);
  std::thread waiter([&] {
    const auto granted = scheduler.Wait((*asked)[1].id(), std::chrono::milliseconds::max());
    EXPECT_TRUE(granted.ok());
    if (!granted) ADD_FAILURE() << granted.error().message;
  });
  (*asked)[0] = Scheduling();
  waiter.join();
  const auto ended = scheduler.Wait((*asked)[1].id(), std::chrono::milliseconds::min());
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::kUnknown) << ended.error().message;
  const auto unknown = scheduler.Wait(RequestId{UINT64_MAX}, kPatience);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUnknown) << unknown.error().message;

  const auto many = scheduler.ScheduleGpuResources(std::vector<GpuRequest>(501));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().kind, ErrorKind::kInvalid);
  EXPECT_TRUE(scheduler.ScheduleGpuResources({}).value().empty());
  EXPECT_EQ(scheduler.ScheduleGpuResources(std::vector<GpuRequest>(500)).value().size(), 500u);
}

TEST_P(Scheduler, CpusFirstOrAsFallback) {
  GpuScheduler scheduler(options(1));
  GpuRequest prefer = whole("prefer");
  prefer.cpu = CpuUse::kPrefer;
  GpuRequest fallback = whole("fallback");
  fallback.cpu = CpuUse::kFallback;
  auto granted = scheduler.ScheduleGpuResources({prefer, fallback, fallback});
  ASSERT_TRUE(granted) << granted.error().message;
  EXPECT_TRUE((*granted)[0].on_cpu());
  EXPECT_EQ((*granted)[0].cpus(), 1);
  EXPECT_EQ((*granted)[0].visible_devices(), "");
  EXPECT_EQ((*granted)[1].cards().size(), 1u);
  EXPECT_TRUE((*granted)[2].on_cpu());
}

TEST_P(Scheduler, RefusesTheWholeListIfOneCanNeverFit) {
  GpuScheduler scheduler(options(2));
  GpuRequest gang = whole("gang");
  gang.gpus = 3;
  const auto never = scheduler.ScheduleGpuResources({whole(), gang});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().kind, ErrorKind::kNeverFits);
  EXPECT_NE(never.error().message.find("gang"), std::string::npos);
  GpuRequest nonsense = whole();
  nonsense.gpus = 0;
  const auto invalid = scheduler.ScheduleGpuResources({nonsense});
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().kind, ErrorKind::kInvalid);
  EXPECT_TRUE(scheduler.GetCurrentSchedulings().value().empty());
  EXPECT_TRUE(scheduler.GetWaitingResources().value().empty());
  // And works again.
  EXPECT_TRUE(scheduler.ScheduleGpuResources({whole()}));
}

TEST_P(Scheduler, ResetEndsThisApplicationAndNobodyElse) {
  GpuScheduler trainer(options(3));
  GpuScheduler successor(options(3));
  GpuScheduler other(options(3, "other"));
  auto theirs = other.ScheduleGpuResources({whole("theirs")});
  ASSERT_TRUE(theirs) << theirs.error().message;
  auto ours = trainer.ScheduleGpuResources({whole(), whole(), whole("waits")});
  ASSERT_TRUE(ours) << ours.error().message;
  ASSERT_FALSE((*ours)[2].granted());
  std::atomic<bool> woke{false};
  std::thread waiter([&] {
    const auto waited = trainer.Wait((*ours)[2].id(), kPatience);
    EXPECT_FALSE(waited);
    if (!waited.ok()) {
      EXPECT_EQ(waited.error().kind, ErrorKind::kReset) << waited.error().message;
    }
    woke = true;
  });
  // As after a restart: another object with the same application name.
  ASSERT_TRUE(successor.ResetScheduler());
  waiter.join();
  EXPECT_TRUE(woke);
  EXPECT_TRUE(successor.ResetScheduler());
  const auto lost = (*ours)[0].Check();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, ErrorKind::kReset);
  EXPECT_TRUE((*theirs)[0].Check());
  EXPECT_TRUE(trainer.GetCurrentSchedulings().value().empty());
  EXPECT_EQ(other.GetCurrentSchedulings().value().size(), 1u);
  auto next = trainer.ScheduleGpuResources({whole(), whole()});
  ASSERT_TRUE(next);
  EXPECT_TRUE((*next)[1].granted());
}

TEST_P(Scheduler, AViewReleasesNothingAndAHandleOutlivesItsScheduler) {
  std::vector<Scheduling> kept;
  {
    GpuScheduler scheduler(options(2));
    auto granted = scheduler.ScheduleGpuResources({whole("kept"), whole("too")});
    ASSERT_TRUE(granted);
    EXPECT_TRUE(scheduler.GetCurrentSchedulings());
    EXPECT_EQ(scheduler.GetCurrentSchedulings().value().size(), 2u);
    kept = std::move(*granted);
  }
  GpuScheduler next(options(2));
  ASSERT_EQ(next.GetCurrentSchedulings().value().size(), 2u);
  EXPECT_EQ(next.GetCurrentSchedulings().value()[0].request().name, "kept");
  EXPECT_TRUE(kept[0].Release());
  EXPECT_TRUE(kept[0].Release());
  EXPECT_EQ(next.GetCurrentSchedulings().value().size(), 1u);
  kept.clear();
  EXPECT_TRUE(next.GetCurrentSchedulings().value().empty());
}

TEST_P(Scheduler, AnotherOneInItsPlaceWithdrawsWhatWaited) {
  GpuScheduler scheduler(options(1));
  GpuScheduler watcher(options(1));
  auto asked = scheduler.ScheduleGpuResources({whole(), whole("waits")});
  ASSERT_TRUE(asked) << asked.error().message;
  ASSERT_EQ(watcher.GetWaitingResources().value().size(), 1u);
  scheduler = GpuScheduler(options(1));
  EXPECT_TRUE(watcher.GetWaitingResources().value().empty());
  EXPECT_TRUE((*asked)[0].Check());
}

TEST_P(Scheduler, AWithdrawnRequestWaitsNoMore) {
  GpuScheduler scheduler(options(1));
  auto granted = scheduler.ScheduleGpuResources({whole(), whole()});
  ASSERT_TRUE(granted);
  EXPECT_TRUE((*granted)[1].Release());
  EXPECT_TRUE(scheduler.GetWaitingResources().value().empty());
  const auto unknown = scheduler.Wait(RequestId{987654}, kPatience);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUnknown);
}

// Sixteen threads: no card is ever held twice, nobody starves, everything comes back.
TEST_P(Scheduler, SixteenThreads) {
  constexpr int kThreads = 16;
  constexpr int kRounds = 25;
  constexpr int kCards = 2;
  GpuScheduler scheduler(options(kCards));
  std::array<std::atomic<int>, kCards> users{};
  std::atomic<int> granted_in_all{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        GpuRequest request = whole("thread " + std::to_string(t));
        request.critical = t == 0;
        auto asked = scheduler.ScheduleGpuResources({request});
        ASSERT_TRUE(asked) << asked.error().message;
        Scheduling mine = std::move((*asked)[0]);
        if (!mine.granted()) {
          auto waited = scheduler.Wait(mine.id(), 60s);
          ASSERT_TRUE(waited) << waited.error().message;
          mine = std::move(*waited);
        }
        const auto card = static_cast<std::size_t>(mine.cards().at(0).number);
        EXPECT_EQ(users[card].fetch_add(1), 0);
        ++granted_in_all;
        if (i % 8 == 0) {
          EXPECT_TRUE(scheduler.GetCurrentSchedulings());
          EXPECT_TRUE(scheduler.GetWaitingResources());
        }
        users[card].fetch_sub(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted_in_all, kThreads * kRounds);
  EXPECT_TRUE(scheduler.GetCurrentSchedulings().value().empty());
  EXPECT_TRUE(scheduler.GetWaitingResources().value().empty());
}

}  // namespace
