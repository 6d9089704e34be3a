#include "core/activity.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

using std::chrono::milliseconds;

// A program with a main thread that wakes ten times a second, and one that sleeps.
class Habits : public ::testing::Test {
 protected:
  struct Second {
    Microseconds cpu = milliseconds{2};
    std::uint64_t turns = 10;
    std::string waits_in = "do_epoll_wait";
  };
  HolderLook look(const Second& second) {
    at_ += Seconds{1};
    cpu_ += second.cpu;
    turns_ += second.turns;
    return {at_, {{7, cpu_, turns_, second.waits_in}, {8, Microseconds{0}, 3, "futex_wait_queue"}}};
  }
  void be_idle(int seconds) {
    for (int i = 0; i < seconds; ++i) activity_.learn(look({}));
  }
  // The second at which it was noticed; 0: it was not.
  int noticed_within(int seconds, const Second& second) {
    for (int i = 1; i <= seconds; ++i) {
      if (activity_.judge(look(second))) return i;
    }
    return 0;
  }

  Activity activity_;
  Boot at_{};
  Microseconds cpu_{0};
  std::uint64_t turns_ = 0;
};

TEST_F(Habits, IdleTickingIsNoActivity) {
  be_idle(60);
  EXPECT_EQ(noticed_within(3600, {}), 0);
}

TEST_F(Habits, AMomentOfWorkIsNoActivity) {
  be_idle(60);
  EXPECT_FALSE(activity_.judge(look({.cpu = milliseconds{300}})));
  EXPECT_EQ(noticed_within(60, {}), 0) << "collecting garbage, say";
}

TEST_F(Habits, WhoComputesIsActive) {
  be_idle(60);
  EXPECT_EQ(noticed_within(10, {.cpu = milliseconds{400}}), 2);
}

TEST_F(Habits, WhoAlwaysComputedIsNot) {
  for (int i = 0; i < 60; ++i) activity_.learn(look({.cpu = milliseconds{900}}));
  EXPECT_EQ(noticed_within(60, {.cpu = milliseconds{950}}), 0);
}

TEST_F(Habits, AThreadThatDoesNotWakeAnyMoreIsStuck) {
  be_idle(60);
  EXPECT_EQ(noticed_within(10, {.cpu = {}, .turns = 0}), 4);
}

TEST_F(Habits, AlsoIfItLooksUpOnceASecond) {
  be_idle(60);
  EXPECT_EQ(noticed_within(10, {.cpu = {}, .turns = 1}), 4);
}

TEST_F(Habits, AThreadThatTicksMoreSlowlyIsNotStuck) {
  be_idle(60);
  EXPECT_EQ(noticed_within(600, {.turns = 5}), 0);
}

TEST_F(Habits, AThreadThatHardlyEverWakesIsStuckOnlyInANewPlace) {
  for (int i = 0; i < 60; ++i) activity_.learn(look({.cpu = {}, .turns = 0}));
  EXPECT_EQ(noticed_within(60, {.cpu = {}, .turns = 0}), 0);
  EXPECT_EQ(noticed_within(10, {.cpu = {}, .turns = 0, .waits_in = "futex_wait_queue"}), 4);
}

TEST_F(Habits, APlaceThatItLeavesAgainIsForgotten) {
  be_idle(60);
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(activity_.judge(look({.waits_in = "pipe_read"})));
    EXPECT_FALSE(activity_.judge(look({})));
  }
}

TEST_F(Habits, WithoutAPastItIsLearntWhileAside) {
  EXPECT_EQ(noticed_within(100, {}), 0);
  EXPECT_EQ(noticed_within(10, {.cpu = {}, .turns = 0}), 4);
}

}  // namespace
}  // namespace gpusched
