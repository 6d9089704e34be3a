#include "os/clock.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

namespace gpusched {
namespace {

TEST(Clock, NeverGoesBackSinceBoot) {
  const Now first = read_clock();
  const Now second = read_clock();
  EXPECT_LE(first.boot, second.boot);
  EXPECT_GT(first.boot.time_since_epoch().count(), 0);
}

TEST(Clock, SaysTheYearInWallTime) {
  const auto year_2020 = Wall{Seconds{1'577'836'800}};
  EXPECT_GT(read_clock().wall, year_2020);
}

TEST(Clock, BootIdIsTheSameTwice) {
  const auto id = read_boot_id();
  ASSERT_TRUE(id) << id.error().message;
  EXPECT_EQ(id->size(), 36u);
  EXPECT_EQ(*id, read_boot_id().value());
}

TEST(Clock, UtcOffsetFollowsTheTimeZoneAndSummerTime) {
  const char* before = getenv("TZ");
  const std::string saved = before != nullptr ? before : "";
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  EXPECT_EQ(utc_offset_at(Wall{Seconds{1'767'225'600}}), Seconds{3600});  // 2026-01-01
  EXPECT_EQ(utc_offset_at(Wall{Seconds{1'782'864'000}}), Seconds{7200});  // 2026-07-01
  if (before != nullptr) {
    setenv("TZ", saved.c_str(), 1);
  } else {
    unsetenv("TZ");
  }
  tzset();
}

}  // namespace
}  // namespace gpusched
