#include "api/spec_memory.h"

#include <gtest/gtest.h>

#include "wire/environment.h"

namespace gpusched::testing {
namespace {

TEST(SpecMemory, CountsAsLongAsAnybodyHasIt) {
  SpecMemory memory;
  auto held = memory.hold(std::make_shared<const int>(7), 1000, 50);
  EXPECT_EQ(*held, 7);
  auto copy = held;
  EXPECT_EQ(memory.of(1000), 50u);
  EXPECT_EQ(memory.of(1001), 0u);
  held.reset();
  EXPECT_EQ(memory.of(1000), 50u);
  copy.reset();
  EXPECT_EQ(memory.of(1000), 0u);
}

TEST(SpecMemory, AnEnvironmentThatManyJobsShareCountsOnce) {
  SpecMemory memory;
  EnvironmentPool pool;
  const auto share = [&] {
    return pool.share(unnamed_environment({"A=1"}),
                      [&memory](auto fresh) { return memory.hold(std::move(fresh), 1000, 100); });
  };
  const auto one = share();
  const auto two = share();
  EXPECT_EQ(one, two);
  EXPECT_EQ(memory.of(1000), 100u);
}

}  // namespace
}  // namespace gpusched::testing
