#include "core/state/recent_load.h"

#include <gtest/gtest.h>

#include "core/state/foreign_loads.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

using std::chrono::milliseconds;

constexpr Microseconds kFall = Seconds{3};

Boot after(std::int64_t ms) { return Boot{Seconds{1000}} + milliseconds{ms}; }

TEST(RecentLoad, RisesWithTheNextLookAndHasFallenAfterItsTime) {
  for (const std::int64_t period : {100, 200, 500, 1000}) {
    SCOPED_TRACE(period);
    RecentLoad load;
    std::int64_t ms = 0;
    for (; ms < 5000; ms += period) EXPECT_DOUBLE_EQ(load.add(5, after(ms), kFall), 5);
    EXPECT_DOUBLE_EQ(load.add(95, after(ms), kFall), 95) << "at once";
    const std::int64_t dropped = ms;
    for (ms += period; ms < dropped + 3000; ms += period) {
      EXPECT_DOUBLE_EQ(load.add(5, after(ms), kFall), 95) << ms - dropped;
    }
    EXPECT_DOUBLE_EQ(load.add(5, after(dropped + 3000), kFall), 5);
  }
}

TEST(RecentLoad, IsTheSameAtAnyPeriod) {
  // A square wave of half a second, looked at at the same instants among others.
  const auto busy = [](std::int64_t ms) { return ms / 500 % 2 == 0 ? 60.0 : 0.0; };
  for (const std::int64_t period : {100, 200, 500, 1000}) {
    RecentLoad load;
    double last = 0;
    for (std::int64_t ms = 0; ms <= 20'000; ms += period)
      last = load.add(busy(ms), after(ms), kFall);
    EXPECT_DOUBLE_EQ(last, 60) << period;
  }
}

TEST(RecentLoad, FallsStepByStepWithWhatFallsStepByStep) {
  RecentLoad load;
  load.add(90, after(0), kFall);
  load.add(50, after(1000), kFall);
  load.add(10, after(2000), kFall);
  EXPECT_DOUBLE_EQ(load.add(0, after(3000), kFall), 50);
  EXPECT_DOUBLE_EQ(load.add(0, after(4000), kFall), 10);
  EXPECT_DOUBLE_EQ(load.add(0, after(5000), kFall), 0);
}

TEST(RecentLoad, ManyLooksUnderALongTimeTakeBoundedRoomAndKeepTheHighest) {
  RecentLoad load;
  double last = 0;
  for (int i = 0; i <= 1000; ++i) {
    last = load.add(100 - i / 20.0, after(i * 100), std::chrono::hours{1});
  }
  EXPECT_DOUBLE_EQ(last, 100);
}

CardView look_at(std::int64_t ms, std::vector<SeenProcess> processes) {
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = {Wall{}, after(ms)}};
  view.processes = std::move(processes);
  return view;
}

TEST(ForeignLoads, TheEndOfAProcessCountsAtOnceAndANewOneWithItsNumberBeginsAnew) {
  ForeignLoads loads;
  SeenProcess process{.pid = 7};
  process.load_percent = 95;
  process.started = Boot{Seconds{1}};
  CardView view = look_at(0, {process});
  loads.look(view, kFall);
  process.load_percent = 0;
  process.since = Wall{Microseconds{3}};  // For people: worked out anew now and then.
  view = look_at(1000, {process});
  loads.look(view, kFall);
  EXPECT_DOUBLE_EQ(*view.processes[0].load_percent, 95);
  process.started = Boot{Seconds{2}};
  view = look_at(1500, {process});
  loads.look(view, kFall);
  EXPECT_DOUBLE_EQ(*view.processes[0].load_percent, 0);
}

TEST(ForeignLoads, TheWholeCardsFigureIsForDriversThatTellNoneOfProcesses) {
  ForeignLoads loads;
  CardView view = look_at(0, {SeenProcess{.pid = 7}});
  view.busy_percent = 97;
  loads.look(view, kFall);
  EXPECT_DOUBLE_EQ(*view.busy_percent, 97);
  view = look_at(1000, {SeenProcess{.pid = 7}});
  view.busy_percent = 0;
  loads.look(view, kFall);
  EXPECT_DOUBLE_EQ(*view.busy_percent, 97) << "it falls like any load";
  SeenProcess told{.pid = 8};
  told.load_percent = 3;
  view = look_at(2000, {told});
  view.busy_percent = 97;
  loads.look(view, kFall);
  EXPECT_FALSE(view.busy_percent);
}

TEST(ForeignLoads, WhatAJobDidBeforeItEndedIsNobodysLoad) {
  ForeignLoads loads;
  SeenProcess ours{.pid = 7};
  ours.attempt = AttemptId{JobId{1}, 1};
  CardView view = look_at(0, {ours});
  view.busy_percent = 90;
  loads.look(view, kFall);
  view = look_at(1000, {});
  view.busy_percent = 1;
  loads.look(view, kFall);
  EXPECT_DOUBLE_EQ(*view.busy_percent, 1);
}

}  // namespace
}  // namespace gpusched::testing
