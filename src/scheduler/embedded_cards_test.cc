// What an embedded scheduler is told of its cards, through the public header alone.
#include <gpusched/scheduler.h>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>

#include "scheduler/test_requests.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace gpusched::library;
using gpusched::CardReport;
using gpusched::ErrorKind;
using gpusched::GpuScheduler;
using gpusched::Mode;
using gpusched::SchedulerOptions;

// Cards that the test changes while they are scheduled.
class EmbeddedCards : public ::testing::Test {
 protected:
  SchedulerOptions options() {
    SchedulerOptions options;
    options.mode = Mode::kEmbedded;
    options.application = "trainer";
    options.lock_path = directory_ / "lock";
    options.look_every = 0ms;
    options.look = [this] {
      const std::lock_guard lock(mutex_);
      if (throws_) throw std::runtime_error("the driver sleeps");
      return now_;
    };
    return options;
  }
  void set(std::vector<CardReport> now, bool throws = false) {
    const std::lock_guard lock(mutex_);
    now_ = std::move(now);
    throws_ = throws;
  }

  gpusched::testing::TemporaryDirectory directory_;
  std::mutex mutex_;
  std::vector<CardReport> now_ = cards(2);
  bool throws_ = false;
};

TEST_F(EmbeddedCards, OneThatVanishesIsNotHandedOutAndWhatWasThereIsLost) {
  GpuScheduler scheduler(options());
  auto first = scheduler.ScheduleGpuResources({part(1), part(1)});
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ((*first)[1].cards().at(0).number, 1);
  set(cards(1));
  auto more = scheduler.ScheduleGpuResources({part(1), part(1), part(1)});
  ASSERT_TRUE(more) << more.error().message;
  for (const auto& one : *more) {
    ASSERT_TRUE(one.granted());
    EXPECT_EQ(one.cards().at(0).number, 0);
  }
  const auto lost = (*first)[1].Check();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, ErrorKind::kCardLost);
  EXPECT_TRUE((*first)[0].Check());
}

TEST_F(EmbeddedCards, OneThatIsNewIsUsed) {
  set(cards(1));
  GpuScheduler scheduler(options());
  auto asked = scheduler.ScheduleGpuResources({whole("a"), whole("b")});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_FALSE((*asked)[1].granted());
  set(cards(2));
  auto granted = scheduler.Wait((*asked)[1].id(), kPatience);
  ASSERT_TRUE(granted) << granted.error().message;
  EXPECT_EQ(granted->cards().at(0).number, 1);
  EXPECT_EQ(granted->cards().at(0).uuid, "GPU-1");
}

TEST_F(EmbeddedCards, OneThatAnotherOneReplacedIsLost) {
  GpuScheduler scheduler(options());
  auto asked = scheduler.ScheduleGpuResources({whole("a"), whole("b")});
  ASSERT_TRUE(asked) << asked.error().message;
  auto now = cards(2);
  now[1].uuid = "GPU-another";
  set(now);
  auto granted = scheduler.ScheduleGpuResources({whole("c")});
  ASSERT_TRUE(granted) << granted.error().message;
  ASSERT_TRUE((*granted)[0].granted());
  EXPECT_EQ((*granted)[0].cards().at(0).uuid, "GPU-another");
  EXPECT_FALSE((*asked)[1].Check());
  EXPECT_TRUE((*asked)[0].Check());
}

TEST_F(EmbeddedCards, NumbersThatNoCardCanHaveAreRefused) {
  for (const int number : {-1, 70'000, 1}) {
    auto named = cards(2);
    named[0].number = number;  // 1: the other one has it.
    SchedulerOptions fixed = options();
    fixed.look = {};
    fixed.cards = named;
    GpuScheduler scheduler(fixed);
    const auto refused = scheduler.ScheduleGpuResources({whole()});
    ASSERT_FALSE(refused) << number;
    EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(refused.error().message.find(std::to_string(number)), std::string::npos)
        << refused.error().message;

    set(cards(2));
    GpuScheduler looks(options());
    ASSERT_TRUE(looks.ResetScheduler());
    set(named);
    const auto later = looks.ScheduleGpuResources({whole()});
    ASSERT_FALSE(later) << number;
    EXPECT_EQ(later.error().kind, ErrorKind::kUnavailable);
    EXPECT_NE(later.error().message.find(std::to_string(number)), std::string::npos)
        << later.error().message;
  }
}

TEST_F(EmbeddedCards, ALookThatThrowsIsASentenceAndNothingIsGrantedMeanwhile) {
  set({}, true);
  GpuScheduler scheduler(options());
  const auto never = scheduler.ScheduleGpuResources({whole()});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().kind, ErrorKind::kUnavailable);
  EXPECT_NE(never.error().message.find("the driver sleeps"), std::string::npos);
  set(cards(1));
  auto asked = scheduler.ScheduleGpuResources({whole("a"), whole("b")});
  ASSERT_TRUE(asked) << asked.error().message;
  set({}, true);
  EXPECT_FALSE(scheduler.ScheduleGpuResources({whole("c")}));
  const auto waiting = scheduler.GetWaitingResources();
  ASSERT_TRUE(waiting) << waiting.error().message;
  ASSERT_EQ(waiting->size(), 1u);
  EXPECT_NE(waiting->at(0).reason.find("the driver sleeps"), std::string::npos);
  const auto late = scheduler.Wait((*asked)[1].id(), 50ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::kNotYet);
  EXPECT_NE(late.error().message.find("the driver sleeps"), std::string::npos);
  set(cards(1));
  (*asked)[0] = {};
  EXPECT_TRUE(scheduler.Wait((*asked)[1].id(), kPatience));
}

TEST_F(EmbeddedCards, ALookThatFindsNothingIsBelieved) {
  set({});
  GpuScheduler scheduler(options());
  const auto never = scheduler.ScheduleGpuResources({whole()});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().kind, ErrorKind::kNeverFits) << never.error().message;
}

TEST_F(EmbeddedCards, LargestSizesAreReckonedWith) {
  auto now = cards(2);
  now[0].vram_bytes = UINT64_MAX;
  now[1].used_bytes = UINT64_MAX;
  set(now);
  SchedulerOptions largest = options();
  largest.look_every = std::chrono::milliseconds::max();
  GpuScheduler scheduler(largest);
  auto asked = scheduler.ScheduleGpuResources({part(8), part(8), part(8)});
  ASSERT_TRUE(asked) << asked.error().message;
  for (const auto& one : *asked) {
    ASSERT_TRUE(one.granted());
    EXPECT_EQ(one.cards().at(0).number, 0);
  }
}

}  // namespace
