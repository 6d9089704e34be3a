#include "simdriver/cuda/visible_cards.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simdriver/world_create.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::simdriver::cuda {
namespace {

using Cards = std::vector<std::size_t>;

TEST(VisibleCards, FollowTheVariableAsTheRealDriverReadsIt) {
  const gpusched::testing::TemporaryDirectory directory;
  const auto world = create_world(directory / "world", *describe_scenario("4x24G"));
  ASSERT_TRUE(world);
  const std::string uuid = world->data().facts[2].uuid;
  EXPECT_EQ(visible_cards(*world, nullptr), (Cards{0, 1, 2, 3}));
  EXPECT_EQ(visible_cards(*world, ""), Cards{});
  EXPECT_EQ(visible_cards(*world, "3,0"), (Cards{3, 0}));
  EXPECT_EQ(visible_cards(*world, " 1 , 2"), (Cards{1, 2}));
  EXPECT_EQ(visible_cards(*world, "1,-1,2"), Cards{1});
  EXPECT_EQ(visible_cards(*world, "0,9,1"), Cards{0});
  EXPECT_EQ(visible_cards(*world, "1,1"), Cards{});
  EXPECT_EQ(visible_cards(*world, uuid.c_str()), Cards{2});
  EXPECT_EQ(visible_cards(*world, (uuid.substr(0, 24) + ",0").c_str()), (Cards{2, 0}));
  EXPECT_EQ(visible_cards(*world, "GPU-nothing"), Cards{});
  // A card that fell off the bus is not counted any more.
  world->data().states[0].lost.store(1);
  EXPECT_EQ(visible_cards(*world, "0"), Cards{1});
}

}  // namespace
}  // namespace gpusched::simdriver::cuda
