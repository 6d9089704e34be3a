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

TEST(Words, SayMebibytesWhole) {
  EXPECT_EQ(mib_text(0), "0 MiB");
  EXPECT_EQ(mib_text((7ULL << 30) + 5), "7168 MiB");
}

TEST(Words, SayASizeWithoutDigitsThatSayNothing) {
  EXPECT_EQ(rounded_size(0), "0 MiB");
  EXPECT_EQ(rounded_size((600ULL << 20) - 1), "600 MiB");
  EXPECT_EQ(rounded_size(7ULL << 30), "7 GiB");
  EXPECT_EQ(rounded_size(61ULL << 30), "61 GiB");
  EXPECT_EQ(rounded_size(100ULL << 30), "100 GiB");
  EXPECT_EQ(rounded_size((6ULL << 30) + (100ULL << 20)), "6.1 GiB");
}

}  // namespace
}  // namespace gpusched
