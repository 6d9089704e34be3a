#include "history/plan.h"

#include <gtest/gtest.h>

#include "history/test_places.h"

namespace gpusched::history {
namespace {

using testing::at;

Question last(double seconds, std::size_t points) {
  return {.from = at(-seconds), .to = at(0), .points = points};
}

Plan plan(const Question& question, const Tiers& tiers = kDefaultTiers) {
  return plan_of(question, tiers, at(0));
}

TEST(Plan, TakesTheCoarsestTierThatIsFineEnough) {
  struct Case {
    double range;
    std::size_t points;
    std::size_t tier;
    int step;
  };
  const Case cases[] = {
      {3600, 120, 1, 30},    // A page's first look.
      {3600, 3600, 0, 1},    // As fine as it gets.
      {600, 60, 1, 10},      // Exactly the width of a tier.
      {86400, 120, 2, 720},  //
      {30 * 86400, 120, 3, 21600},
      {730 * 86400, 120, 3, 525600 / 3600 * 3600},
  };
  for (const Case& c : cases) {
    const Plan found = plan(last(c.range, c.points));
    EXPECT_EQ(found.tier, c.tier) << c.range;
    EXPECT_EQ(found.step, Seconds{c.step}) << c.range;
    EXPECT_LE(found.points(), c.points + 1) << c.range;
  }
}

TEST(Plan, TakesACoarserTierWhereTheFineOneDoesNotReach) {
  EXPECT_EQ(plan(last(7200, 7200)).tier, 1U);
  EXPECT_EQ(plan(last(7200, 7200)).step, Seconds{10});
  EXPECT_EQ(plan(last(40 * 86400, 4000)).tier, 3U);
  // Long ago, though only for a moment.
  const Question old{.from = at(-86400 * 10), .to = at(-86400 * 10 + 60), .points = 60};
  EXPECT_EQ(plan(old).tier, 2U);
}

TEST(Plan, DoesWithoutTiersThatAreNotKept) {
  Tiers tiers = kDefaultTiers;
  tiers[1].keep = Seconds{0};
  EXPECT_EQ(plan(last(3600, 120), tiers).tier, 0U);
  for (Tier& tier : tiers) tier.keep = Seconds{0};
  EXPECT_EQ(plan(last(3600, 120), tiers).tier, 0U);
}

TEST(Plan, StepsAreMultiplesOfTheTierAndStandStill) {
  const Plan first = plan({.from = at(0.5), .to = at(1000.5), .points = 37});
  EXPECT_EQ(first.step.count() % kDefaultTiers[first.tier].width.count(), 0);
  EXPECT_EQ(first.from.time_since_epoch() % first.step, Microseconds{0});
  EXPECT_LE(first.from, at(0.5));
  EXPECT_GE(first.to, at(1000.5));
  EXPECT_LT(first.to - first.step, at(1000.5));
}

TEST(Plan, IsBounded) {
  EXPECT_LE(plan(last(1e8, 1'000'000'000)).points(), kPointsMost + 1);
  EXPECT_LE(plan({.from = at(-1e8), .to = at(0), .step = Seconds{1}}).points(), kPointsMost + 1);
  EXPECT_EQ(plan(last(-50, 0)).points(), 1U);
}

TEST(Gathering, AddsUpBucketsByTheirPoints) {
  constexpr std::array kPlanMetrics = {Metric{"value", 1, true, true}};
  const Plan wide{.tier = 0, .from = at(0), .to = at(60), .step = Seconds{30}};
  Block block(at(0), Seconds{1}, 1);
  block.add(at(0), {10.0});
  for (int i = 0; i < 3; ++i) block.add(at(1), {2.0});
  Gathering gathering(wide, kPlanMetrics);
  EXPECT_TRUE(gathering.empty());
  gathering.add(block);
  EXPECT_FALSE(gathering.empty());
  const std::vector<Series> series = gathering.series();
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].name, "value");
  EXPECT_EQ(series[0].values, (std::vector<std::optional<double>>{4.0, std::nullopt}));
  EXPECT_EQ(series[1].name, "value_max");
  EXPECT_EQ(series[1].values, (std::vector<std::optional<double>>{10.0, std::nullopt}));
}

}  // namespace
}  // namespace gpusched::history
