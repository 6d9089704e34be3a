#include "core/state/growth.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

constexpr AttemptId kOne{JobId{1}, 1};

CardView view_at(int ms, std::uint64_t ours_gib, std::uint64_t others_gib = 0) {
  CardView view;
  view.condition = CardCondition::kOk;
  view.at.boot = Boot{std::chrono::milliseconds{100'000 + ms}};
  view.used_bytes = (ours_gib + others_gib) * kGiB;
  if (ours_gib > 0) view.processes.push_back({.vram_bytes = ours_gib * kGiB, .attempt = kOne});
  return view;
}
double gib_per_s(const Growth& growth, std::optional<AttemptId> whose) {
  return growth.of(whose) / static_cast<double>(kGiB);
}

double trend(const Growth& growth, std::optional<AttemptId> whose) {
  return growth.trend_of(whose) / static_cast<double>(kGiB);
}

TEST(Growth, IsToldFromLooksAtAnyPace) {
  for (const int pace : {20, 100, 250, 1000}) {
    Growth growth;
    for (int ms = 0; ms <= 4000; ms += pace) {
      CardView view = view_at(ms, 0);
      const std::uint64_t bytes = 8 * kGiB / 1000 * static_cast<std::uint64_t>(ms);
      view.used_bytes = bytes;
      view.processes.push_back({.vram_bytes = bytes, .attempt = kOne});
      growth.add(view);
    }
    EXPECT_NEAR(gib_per_s(growth, kOne), 8, 0.1) << pace;
    EXPECT_NEAR(trend(growth, kOne), 8, 0.1) << pace;
    EXPECT_EQ(gib_per_s(growth, std::nullopt), 0) << pace;
  }
}

TEST(Growth, ANewcomerGrowsFromNothing) {
  Growth growth;
  growth.add(view_at(0, 0));
  growth.add(view_at(1000, 6));
  EXPECT_EQ(gib_per_s(growth, kOne), 6);
}

TEST(Growth, TheFirstLookSaysNothing) {
  Growth growth;
  growth.add(view_at(0, 20, 5));
  EXPECT_EQ(gib_per_s(growth, kOne), 0);
  EXPECT_EQ(gib_per_s(growth, std::nullopt), 0);
}

TEST(Growth, OneLargeAllocationBetweenTwoQuickLooksIsNoTrend) {
  Growth growth;
  growth.add(view_at(0, 20));
  growth.add(view_at(400, 20));
  growth.add(view_at(405, 24));
  EXPECT_LT(gib_per_s(growth, kOne), 10.5) << "not 800 GiB a second";
}

TEST(Growth, AModelThatIsLoadedIsNoTrendAndMoreOfItIs) {
  for (const int pace : {100, 1000}) {
    Growth growth;
    growth.add(view_at(0, 0, 0));
    growth.add(view_at(pace, 12, 5));
    EXPECT_EQ(trend(growth, kOne), 0) << pace;
    EXPECT_EQ(trend(growth, std::nullopt), 0) << pace;
    EXPECT_GT(gib_per_s(growth, kOne), 11) << "but worth a close look";
    growth.add(view_at(pace + 100, 12, 5));
    EXPECT_EQ(trend(growth, kOne), 0) << pace;
    growth.add(view_at(pace + 200, 13, 6));
    EXPECT_GT(trend(growth, kOne), 4) << pace;
    EXPECT_GT(trend(growth, std::nullopt), 4) << pace;
    growth.add(view_at(pace + 700, 13, 6));
    EXPECT_EQ(trend(growth, kOne), 0) << "it has what it wants";
  }
}

TEST(Growth, InLeapsIsATrend) {
  Growth growth;
  // 2 GiB every quarter of a second.
  for (int ms = 0; ms <= 3000; ms += 50) {
    growth.add(view_at(ms, 2 * static_cast<std::uint64_t>(ms / 250)));
    if (ms < 1000) continue;
    EXPECT_GT(trend(growth, kOne), 4) << ms;
  }
}

TEST(Growth, IsATrendOneLookAfterItBegan) {
  Growth growth;
  for (int ms = 0; ms <= 3000; ms += 1000) growth.add(view_at(ms, 4));
  growth.add(view_at(4000, 12));
  growth.add(view_at(4125, 13));
  EXPECT_GT(trend(growth, kOne), 7);
}

TEST(Growth, WhatShrinksOrStandsDoesNotGrow) {
  Growth growth;
  growth.add(view_at(0, 20));
  growth.add(view_at(1000, 12));
  EXPECT_EQ(gib_per_s(growth, kOne), 0);
  growth.add(view_at(2000, 12));
  EXPECT_EQ(gib_per_s(growth, kOne), 0);
}

TEST(Growth, OthersAreEverybodyElseTogether) {
  Growth growth;
  growth.add(view_at(0, 10, 2));
  growth.add(view_at(1000, 10, 5));
  EXPECT_EQ(gib_per_s(growth, kOne), 0);
  EXPECT_EQ(gib_per_s(growth, std::nullopt), 3);
}

TEST(Growth, ALongSilenceIsForgotten) {
  Growth growth;
  growth.add(view_at(0, 1));
  growth.add(view_at(100'000, 20));
  EXPECT_EQ(gib_per_s(growth, kOne), 0);
}

}  // namespace
}  // namespace gpusched::testing
