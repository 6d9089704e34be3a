#include "api/cookie.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(Cookie, IsFoundAmongOthers) {
  EXPECT_EQ(cookie_in("gpusched=abc", "gpusched"), "abc");
  EXPECT_EQ(cookie_in("a=1; gpusched=abc; b=\"x y\"", "gpusched"), "abc");
  EXPECT_EQ(cookie_in("a=gpusched=abc;gpusched=x=y", "gpusched"), "x=y");
  EXPECT_EQ(cookie_in("xgpusched=abc; gpusched2=abc", "gpusched"), std::nullopt);
  EXPECT_EQ(cookie_in("", "gpusched"), std::nullopt);
}

TEST(Cookie, WhatIsDoubtfulIsAbsent) {
  for (const char* header :
       {"gpusched=a; gpusched=b", "gpusched=", "gpusched", "gpusched=a b", "gpusched=\"a\"",
        "gpusched=a\x01", "gpusched=a\\b", ";;;", "Gpusched=a"}) {
    EXPECT_EQ(cookie_in(header, "gpusched"), std::nullopt) << header;
  }
  std::string many;
  for (std::size_t i = 0; i < kCookiesMost; ++i) many += "a=1; ";
  EXPECT_EQ(cookie_in(many + "gpusched=a", "gpusched"), std::nullopt);
}

TEST(Cookie, IsWrittenForThisHostAlone) {
  EXPECT_EQ(set_cookie(true, "abc", 60),
            "__Host-gpusched=abc; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=60");
  EXPECT_EQ(set_cookie(false, "abc", 60),
            "gpusched=abc; Path=/; HttpOnly; SameSite=Strict; Max-Age=60");
  EXPECT_EQ(set_cookie(true, "", 60),
            "__Host-gpusched=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0");
}

}  // namespace
}  // namespace gpusched
