#include "core/model/rare.h"

#include <gtest/gtest.h>

#include <string>

namespace gpusched {
namespace {

TEST(Rare, IsTheDefaultUntilItIsSet) {
  const Rare<std::string> nothing;
  EXPECT_EQ(*nothing, "");
  EXPECT_TRUE(nothing->empty());
}

TEST(Rare, ACopyDoesNotFollowItsOrigin) {
  Rare<std::string> one(std::string("one"));
  const Rare<std::string> copy = one;
  one.edit() = "other";
  EXPECT_EQ(*copy, "one");
  EXPECT_EQ(*one, "other");
}

TEST(Rare, WhatWasSetToTheDefaultEqualsWhatWasNeverSet) {
  Rare<std::string> emptied(std::string("one"));
  emptied.edit().clear();
  EXPECT_EQ(emptied, Rare<std::string>());
  EXPECT_EQ(emptied <=> Rare<std::string>(), std::strong_ordering::equal);
}

TEST(Rare, IsOrderedLikeItsValue) {
  EXPECT_LT(Rare<std::string>(), Rare<std::string>(std::string("a")));
  EXPECT_LT(Rare<std::string>(std::string("a")), Rare<std::string>(std::string("b")));
}

}  // namespace
}  // namespace gpusched
