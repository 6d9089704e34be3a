#include "base/words.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(Words, CountThings) {
  EXPECT_EQ(counted(0, "card"), "0 cards");
  EXPECT_EQ(counted(1, "card"), "1 card");
  EXPECT_EQ(counted(12, "card"), "12 cards");
}

TEST(Words, SayGibibytesToATenth) {
  EXPECT_EQ(gib_text(0), "0.0 GiB");
  EXPECT_EQ(gib_text(3ULL << 29), "1.5 GiB");
  EXPECT_EQ(gib_text((1ULL << 30) - 1), "1.0 GiB");
  EXPECT_EQ(gib_text(~0ULL), "17179869184.0 GiB") << "the largest number does not wrap";
}

}  // namespace
}  // namespace gpusched
