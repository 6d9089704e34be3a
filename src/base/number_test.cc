#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gpusched {
namespace {

TEST(WholeNumber, IsAllOfTheText) {
  int number = 0;
  EXPECT_TRUE(whole_number("-42", number));
  EXPECT_EQ(number, -42);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "99999999999"}) {
    EXPECT_FALSE(whole_number(text, number)) << text;
  }
}

TEST(WholeNumber, HasABaseOrAFraction) {
  std::uint64_t number = 0;
  EXPECT_TRUE(whole_number("ff", number, 16));
  EXPECT_EQ(number, 255u);
  EXPECT_FALSE(whole_number("-1", number));
  double fraction = 0;
  EXPECT_TRUE(whole_number("1.5", fraction));
  EXPECT_EQ(fraction, 1.5);
}

}  // namespace
}  // namespace gpusched
