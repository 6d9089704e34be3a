#include "core/model/clock_watch.h"

#include <gtest/gtest.h>

namespace gpusched::testing {
namespace {

using std::chrono::hours;

// What it says when it is shown both clocks.
Wall shown(ClockWatch& watch, Microseconds boot, Microseconds apart) {
  const Now now{Wall{boot + apart}, Boot{boot}};
  watch.look(now);
  return watch.trusted(now);
}

TEST(ClockWatch, FollowsAClockThatIsSetALittle) {
  ClockWatch watch;
  EXPECT_EQ(shown(watch, hours{1}, hours{100}), Wall{hours{101}});
  EXPECT_EQ(shown(watch, hours{2}, hours{101}), Wall{hours{103}});
  EXPECT_EQ(shown(watch, hours{3}, hours{2}), Wall{hours{5}}) << "Backwards at once.";
}

TEST(ClockWatch, AJumpForwardCountsOnceItHasLasted) {
  ClockWatch watch;
  shown(watch, hours{1}, hours{100});
  EXPECT_EQ(shown(watch, hours{2}, hours{10'000}), Wall{hours{102}});
  EXPECT_EQ(shown(watch, hours{25}, hours{10'000}), Wall{hours{125}});
  EXPECT_EQ(shown(watch, hours{26}, hours{10'000}), Wall{hours{10'026}});
}

// A clock that is wrong when the daemon starts, or a machine that was off for long.
TEST(ClockWatch, AStartIsNoReasonToBelieveAClock) {
  ClockWatch watch;
  const Now start{Wall{hours{1000}}, Boot{hours{1}}};
  watch.remember(Wall{hours{40}}, start);
  EXPECT_EQ(watch.trusted(start), Wall{hours{40}});
  EXPECT_EQ(shown(watch, hours{2}, hours{999}), Wall{hours{41}});
  EXPECT_EQ(shown(watch, hours{26}, hours{999}), Wall{hours{1025}}) << "It has lasted a day.";
}

TEST(ClockWatch, AStartSoonAfterTheLastWordIsBelieved) {
  ClockWatch watch;
  watch.remember(Wall{hours{40}}, {Wall{hours{41}}, Boot{hours{1}}});
  EXPECT_EQ(shown(watch, hours{1}, hours{40}), Wall{hours{41}});
  ClockWatch back;
  back.remember(Wall{hours{99}}, {Wall{hours{50}}, Boot{hours{1}}});
  EXPECT_EQ(shown(back, hours{1}, hours{49}), Wall{hours{50}}) << "Backwards at once.";
}

TEST(ClockWatch, AJumpThatIsTakenBackNeverWas) {
  ClockWatch watch;
  shown(watch, hours{1}, hours{100});
  shown(watch, hours{2}, hours{10'000});
  EXPECT_EQ(shown(watch, hours{3}, hours{100}), Wall{hours{103}});
  EXPECT_EQ(shown(watch, hours{40}, hours{10'000}), Wall{hours{140}});
}

}  // namespace
}  // namespace gpusched::testing
