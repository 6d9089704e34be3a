#include "gpu/process_loads.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

Now second(int n) { return {Wall{Seconds{1'700'000'000 + n}}, Boot{Seconds{1000 + n}}}; }

watch::WatchedProcess process(int pid, std::optional<double> busy, int started = 0) {
  watch::WatchedProcess one;
  one.seen.pid = pid;
  one.seen.busy_percent = busy;
  one.seen.vram_bytes = 1 << 20;
  one.owner.started = second(started).boot;
  one.owner.command = "/usr/bin/Xorg :0";
  return one;
}

const CardNumber kCard{0};

TEST(ProcessLoads, TheLoadIsWhatTheDriverSaidLast) {
  ProcessLoads loads({});
  for (int i = 0; i < 10; ++i) {
    const double busy = i % 2 == 0 ? 100.0 : 0.0;
    EXPECT_DOUBLE_EQ(*loads.look(kCard, {process(1, busy)}, second(i))[0].load_percent, busy);
  }
}

TEST(ProcessLoads, ANewProcessCountsAtOnceAndOneThatIsGoneNoMore) {
  ProcessLoads loads({});
  EXPECT_DOUBLE_EQ(*loads.look(kCard, {process(1, 80)}, second(0))[0].load_percent, 80);
  EXPECT_TRUE(loads.look(kCard, {}, second(1)).empty());
  EXPECT_DOUBLE_EQ(*loads.look(kCard, {process(1, 10, 7)}, second(2))[0].load_percent, 10)
      << "another process with the same number";
}

TEST(ProcessLoads, UnknownStaysUnknown) {
  ProcessLoads loads({});
  const auto seen = loads.look(kCard, {process(1, std::nullopt)}, second(0));
  EXPECT_FALSE(seen[0].load_percent);
  EXPECT_FALSE(seen[0].idle_since);
}

TEST(ProcessLoads, AnIdleHolderIsNamedAfterItsTimeAndNoLongerWhenItWorks) {
  ProcessLoads loads({.idle_after = Seconds{10}, .ignored = {}});
  EXPECT_FALSE(loads.look(kCard, {process(1, 0)}, second(0))[0].idle_since);
  EXPECT_FALSE(loads.look(kCard, {process(1, 0)}, second(9))[0].idle_since);
  EXPECT_EQ(loads.look(kCard, {process(1, 0)}, second(10))[0].idle_since, second(0).wall);
  EXPECT_FALSE(loads.look(kCard, {process(1, 50)}, second(11))[0].idle_since);
  EXPECT_FALSE(loads.look(kCard, {process(1, 0)}, second(12))[0].idle_since);
}

TEST(ProcessLoads, TheDesktopIsKnownByTheNameOfItsPrograms) {
  ProcessLoads loads({.idle_after = Seconds{10}, .ignored = {"Xorg"}});
  EXPECT_TRUE(loads.look(kCard, {process(1, 30)}, second(0))[0].ignored);
  watch::WatchedProcess ours = process(2, 30);
  ours.owner.attempt = AttemptId{JobId{1}, 1};
  EXPECT_FALSE(loads.look(kCard, {ours}, second(1))[0].ignored);
}

}  // namespace
}  // namespace gpusched
