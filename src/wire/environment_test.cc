#include "wire/environment.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(Environment, HashTellsContentsApart) {
  EXPECT_EQ(environment_hash({"A=1", "B=2"}), environment_hash({"A=1", "B=2"}));
  EXPECT_NE(environment_hash({"A=1", "B=2"}), environment_hash({"A=1B=2"}));
  EXPECT_NE(environment_hash({"A=1", "B=2"}), environment_hash({"A=1", "B=3"}));
  EXPECT_NE(environment_hash({}), environment_hash({""}));
}

TEST(EnvironmentPool, SharesEqualOnesAndHoldsNone) {
  EnvironmentPool pool;
  auto first = pool.share(make_environment({"A=1"}));
  EXPECT_EQ(pool.share(make_environment({"A=1"})), first);
  EXPECT_NE(pool.share(make_environment({"A=2"})), first);
  EXPECT_EQ(pool.share(unnamed_environment({"A=1"})), first);
  EXPECT_EQ(pool.share(unnamed_environment({"A=3"}))->hash, environment_hash({"A=3"}));
  std::weak_ptr<const Environment> seen = first;
  first.reset();
  EXPECT_TRUE(seen.expired());
  for (int i = 0; i < 1000; ++i) (void)pool.share(make_environment({"N=" + std::to_string(i)}));
}

TEST(EnvironmentPool, EqualResourceLimitsAreShared) {
  EnvironmentPool pool;
  const auto made = [](std::uint64_t soft) {
    return std::make_shared<const ResourceLimits>(ResourceLimits{{7, soft, 20}});
  };
  const auto first = pool.share(made(10));
  EXPECT_EQ(pool.share(made(10)), first);
  EXPECT_NE(pool.share(made(11)), first);
  EXPECT_EQ(pool.share(std::shared_ptr<const ResourceLimits>()), nullptr);
}

}  // namespace
}  // namespace gpusched
