#include "api/token_secret.h"

#include <gtest/gtest.h>

#include <set>

namespace gpusched {
namespace {

TEST(TokenSecret, IsDrawnAndTakenApart) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto fresh = draw_token();
    ASSERT_TRUE(fresh);
    EXPECT_EQ(fresh->text.size(), 57U);
    EXPECT_EQ(fresh->text.rfind("gpst_" + fresh->id + "_", 0), 0U);
    EXPECT_EQ(id_of_token(fresh->text), fresh->id);
    EXPECT_EQ(fresh->hash, hash_of_token(fresh->text));
    EXPECT_EQ(fresh->hash.size(), 64U);
    EXPECT_EQ(fresh->hash.find(fresh->text.substr(14)), std::string::npos);
    EXPECT_TRUE(seen.insert(fresh->text).second);
  }
}

TEST(TokenSecret, WhatDoesNotLookLikeOneHasNoId) {
  const std::string good = "gpst_abcdefgh_" + std::string(43, 'A');
  EXPECT_EQ(id_of_token(good), "abcdefgh");
  for (const std::string& bad :
       {std::string(), std::string("gpst_"), good + "A", good.substr(1), "gpsx" + good.substr(4),
        "gpst_abcdefgH_" + std::string(43, 'A'), "gpst_abcdefgh_" + std::string(43, '='),
        "gpst_abcdefgh-" + std::string(43, 'A'), std::string(1 << 20, 'a')}) {
    EXPECT_EQ(id_of_token(bad), std::nullopt) << bad.substr(0, 80);
  }
}

TEST(TokenSecret, IsFoundInTheHeader) {
  EXPECT_EQ(bearer_of("Bearer abc"), "abc");
  EXPECT_EQ(bearer_of("bearer   abc "), "abc");
  EXPECT_EQ(bearer_of("BEARER a b"), "a b");
  for (const char* bad : {"", "Bearer", "Bearer ", "Bearer    ", "Basic abc", "Bearerabc", "abc"}) {
    EXPECT_EQ(bearer_of(bad), std::nullopt) << bad;
  }
}

TEST(TokenSecret, HashesAreComparedWhole) {
  EXPECT_TRUE(same_hash("abc", "abc"));
  EXPECT_FALSE(same_hash("abc", "abd"));
  EXPECT_FALSE(same_hash("abc", "bbc"));
  EXPECT_FALSE(same_hash("abc", "ab"));
  EXPECT_TRUE(same_hash("", ""));
}

}  // namespace
}  // namespace gpusched
