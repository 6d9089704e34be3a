#include "core/preempt/activity.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

constexpr std::uint64_t kOwnLock = 0x1000, kDriversLock = 0x9000, kNewLock = 0xa000;

// A notebook in small: a main thread that ticks, and a worker that has nothing to do.
class Habits : public ::testing::Test {
 protected:
  struct Second {
    std::uint64_t main_turns = 2;
    ThreadWait main_waits = ThreadWait::kOther;
    std::uint64_t main_at = 0;
    std::uint64_t worker_turns = 0;
    std::uint64_t worker_at = kOwnLock;
    ThreadWait worker_waits = ThreadWait::kFutex;
  };
  HolderLook look(const Second& second) {
    at_ += Seconds{1};
    main_ += second.main_turns;
    worker_ += second.worker_turns;
    return {at_,
            {{7, main_, second.main_waits, second.main_at},
             {8, worker_, second.worker_waits, second.worker_at}}};
  }
  void be_idle(int seconds, const Second& second) {
    for (int i = 0; i < seconds; ++i) activity_.learn(look(second));
  }
  void be_idle(int seconds) { be_idle(seconds, Second{}); }
  // The second at which it was noticed; 0: it was not.
  int noticed_within(int seconds, const Second& second) {
    for (int i = 1; i <= seconds; ++i) {
      if (activity_.judge(look(second))) return i;
    }
    return 0;
  }
  static Second in_driver() {
    return {.main_turns = 0, .main_waits = ThreadWait::kFutex, .main_at = kDriversLock};
  }

  Activity activity_;
  Boot at_{};
  std::uint64_t main_ = 0, worker_ = 0;
};

TEST_F(Habits, IdleTickingIsNoActivity) {
  be_idle(60);
  EXPECT_EQ(noticed_within(3600, {}), 0);
}

TEST_F(Habits, ACallThatWaitsForTheCardIs) {
  be_idle(60);
  EXPECT_EQ(noticed_within(10, in_driver()), 3) << "seen once, and so for two seconds";
}

TEST_F(Habits, AlsoIfItWaitsFromTheFirstMomentOn) {
  be_idle(2);
  EXPECT_EQ(noticed_within(10, in_driver()), 3);
}

TEST_F(Habits, ComputingWithoutTheCardIsNot) {
  be_idle(60);
  EXPECT_EQ(noticed_within(600, {.main_turns = 300, .main_waits = ThreadWait::kNone}), 0);
}

TEST_F(Habits, AWaitThatEndsByItselfIsNot) {
  be_idle(60);
  EXPECT_EQ(noticed_within(600, {.main_turns = 0, .main_waits = ThreadWait::kTimed}), 0);
}

TEST_F(Habits, AThreadThatIsWokenIsNotStuck) {
  be_idle(60);
  Second second = in_driver();
  second.main_turns = 1;
  EXPECT_EQ(noticed_within(600, second), 0) << "somebody hands it work again and again";
}

TEST_F(Habits, AThreadThatWaitsAtAnotherLockIsGivenMoreTime) {
  be_idle(60);
  EXPECT_EQ(noticed_within(20, {.worker_at = kNewLock}), 6);
}

TEST_F(Habits, AnAddressWhereAnyoneWaitedBeforeIsNoSign) {
  be_idle(60);
  EXPECT_EQ(
      noticed_within(600, {.main_turns = 0, .main_waits = ThreadWait::kFutex, .main_at = kOwnLock}),
      0);
}

TEST_F(Habits, WithoutAddressesTheFirstWaitAtALockCounts) {
  be_idle(60, {.worker_at = 0});
  EXPECT_EQ(noticed_within(600, {.worker_at = 0}), 0);
  EXPECT_EQ(noticed_within(10, {.main_turns = 0, .main_waits = ThreadWait::kFutex, .worker_at = 0}),
            3);
}

TEST_F(Habits, WithoutAnyPlacesAThreadThatDoesNotWakeAnyMoreCounts) {
  const Second idle{
      .main_waits = ThreadWait::kUnknown, .worker_at = 0, .worker_waits = ThreadWait::kUnknown};
  be_idle(60, idle);
  EXPECT_EQ(noticed_within(600, idle), 0);
  Second stuck = idle;
  stuck.main_turns = 0;
  EXPECT_EQ(noticed_within(20, stuck), 5);
}

TEST_F(Habits, WithoutAPastItIsLearntWhileAside) {
  EXPECT_EQ(noticed_within(100, {}), 0);
  EXPECT_EQ(noticed_within(10, in_driver()), 3);
}

}  // namespace
}  // namespace gpusched
