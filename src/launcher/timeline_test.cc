#include "launcher/timeline.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

using Action = Timeline::Action;
using Actions = std::vector<Action>;

Boot at(int seconds) { return Boot{Seconds{1000 + seconds}}; }
TimeRule limit_of(int limit, int grace = 10) {
  TimeRule rule;
  rule.limit = Seconds{limit};
  rule.grace = Seconds{grace};
  return rule;
}

TEST(Timeline, WithoutALimitNothingIsEverDue) {
  Timeline line;
  line.begin(limit_of(0), at(0));
  EXPECT_EQ(line.due(at(1'000'000)), Actions{});
  EXPECT_EQ(line.next(), std::nullopt);
}

TEST(Timeline, AtTheLimitTermThenAfterTheGraceKill) {
  Timeline line;
  line.begin(limit_of(60), at(0));
  EXPECT_EQ(line.next(), at(60));
  EXPECT_EQ(line.due(at(59)), Actions{});
  EXPECT_EQ(line.due(at(60)), Actions{Action::kTimeOut});
  EXPECT_EQ(line.due(at(60)), Actions{});
  EXPECT_EQ(line.next(), at(70));
  EXPECT_EQ(line.due(at(70)), Actions{Action::kKill});
  EXPECT_EQ(line.next(), std::nullopt);
}

TEST(Timeline, WarnsOnceBeforeTheLimit) {
  Timeline line;
  TimeRule rule = limit_of(60);
  rule.warn_signal = 10;
  rule.warn_before = Seconds{20};
  line.begin(rule, at(0));
  EXPECT_EQ(line.next(), at(40));
  EXPECT_EQ(line.due(at(40)), Actions{Action::kWarn});
  EXPECT_EQ(line.due(at(41)), Actions{});
  EXPECT_EQ(line.next(), at(60));
}

TEST(Timeline, AWarningLongerThanTheLimitComesAtTheStart) {
  Timeline line;
  TimeRule rule = limit_of(60);
  rule.warn_signal = 10;
  rule.warn_before = Seconds{100};
  line.begin(rule, at(0));
  EXPECT_EQ(line.due(at(0)), Actions{Action::kWarn});
}

TEST(Timeline, StandsStillWhilePaused) {
  Timeline line;
  line.begin(limit_of(60), at(0));
  line.pause(at(50));
  EXPECT_EQ(line.next(), std::nullopt);
  EXPECT_EQ(line.due(at(500)), Actions{});
  line.resume(at(500));
  EXPECT_EQ(line.next(), at(510));
  EXPECT_EQ(line.due(at(509)), Actions{});
  EXPECT_EQ(line.due(at(510)), Actions{Action::kTimeOut});
}

TEST(Timeline, PausingTwiceIsPausingOnce) {
  Timeline line;
  line.begin(limit_of(60), at(0));
  line.pause(at(10));
  line.pause(at(20));
  line.resume(at(30));
  line.resume(at(40));
  EXPECT_EQ(line.next(), at(80));
}

TEST(Timeline, AStopIsOnlyEverBroughtForward) {
  Timeline line;
  line.begin(limit_of(0), at(0));
  line.stop(at(5), Seconds{60});
  EXPECT_EQ(line.due(at(5)), Actions{Action::kTerminate});
  EXPECT_EQ(line.next(), at(65));
  line.stop(at(10), Seconds{600});
  EXPECT_EQ(line.next(), at(65));
  line.stop(at(20), Seconds{1});
  EXPECT_EQ(line.next(), at(21));
  EXPECT_EQ(line.due(at(21)), Actions{Action::kKill});
}

TEST(Timeline, AStopWithoutGraceKillsAtOnce) {
  Timeline line;
  line.begin(limit_of(0), at(0));
  line.stop(at(5), Seconds{0});
  EXPECT_EQ(line.due(at(5)), (Actions{Action::kTerminate, Action::kKill}));
}

TEST(Timeline, AStopBeforeTheCommandRunsCounts) {
  Timeline line;
  line.stop(at(1), Seconds{3});
  EXPECT_EQ(line.due(at(1)), Actions{Action::kTerminate});
  EXPECT_EQ(line.next(), at(4));
}

TEST(Timeline, AStopForLaterWaits) {
  Timeline line;
  line.begin(limit_of(0), at(0));
  line.stop(at(10), Seconds{5});
  EXPECT_EQ(line.due(at(9)), Actions{});
  EXPECT_EQ(line.next(), at(10));
  line.stop(at(9), Seconds{0});
  EXPECT_EQ(line.due(at(9)), (Actions{Action::kTerminate, Action::kKill}));
}

TEST(Timeline, TheLimitDoesNotInterruptAStop) {
  Timeline line;
  line.begin(limit_of(10, 100), at(0));
  line.stop(at(5), Seconds{10});
  EXPECT_EQ(line.due(at(5)), Actions{Action::kTerminate});
  EXPECT_EQ(line.due(at(10)), Actions{});
  EXPECT_EQ(line.due(at(15)), Actions{Action::kKill});
}

TEST(Timeline, AChangedLimitCountsFromTheSameBeginning) {
  Timeline line;
  line.begin(limit_of(60), at(0));
  line.change(limit_of(30), at(20));
  EXPECT_EQ(line.next(), at(30));
  line.change(limit_of(0), at(21));
  EXPECT_EQ(line.next(), std::nullopt);
  line.change(limit_of(5), at(22));
  EXPECT_EQ(line.due(at(22)), Actions{Action::kTimeOut});
}

}  // namespace
}  // namespace gpusched
