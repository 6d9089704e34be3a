#include "cli/detach_keys.h"

#include <gtest/gtest.h>

namespace gpusched::cli {
namespace {

TEST(DetachKeys, PassOnEverythingElse) {
  DetachKeys keys;
  EXPECT_EQ(keys.feed("ls\r").passed, "ls\r");
  EXPECT_EQ(keys.feed("\x1d").passed, "");
  EXPECT_EQ(keys.feed("x").passed, "\x1dx");
  EXPECT_EQ(keys.feed("\x1d\x1d").passed, "\x1d");
  EXPECT_FALSE(keys.feed("d").detach);
}

TEST(DetachKeys, LeaveAfterThePrefixAlsoWhenTheyComeApart) {
  DetachKeys keys;
  const DetachKeys::Typed typed = keys.feed(
      "a\x1d"
      "db");
  EXPECT_TRUE(typed.detach);
  EXPECT_EQ(typed.passed, "a");
  EXPECT_FALSE(keys.feed("\x1d").detach);
  EXPECT_TRUE(keys.feed("d").detach);
}

}  // namespace
}  // namespace gpusched::cli
