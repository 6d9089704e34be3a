#include "api/failed_attempts.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

Now after(std::int64_t seconds) { return {Wall(Seconds(seconds)), Boot(Seconds(seconds))}; }

TEST(FailedAttempts, SlowDownWhoFailsOften) {
  FailedAttempts attempts;
  for (int i = 0; i < FailedAttempts::kMost; ++i) {
    EXPECT_EQ(attempts.wait_for("10.0.0.1", after(i)), std::nullopt);
    attempts.failed("10.0.0.1", after(i));
  }
  EXPECT_EQ(attempts.wait_for("10.0.0.1", after(10)), Seconds{50});
  EXPECT_EQ(attempts.wait_for("10.0.0.2", after(10)), std::nullopt) << "nobody else waits";
  EXPECT_EQ(attempts.wait_for("10.0.0.1", after(60)), std::nullopt);
  attempts.failed("10.0.0.1", after(61));
  EXPECT_EQ(attempts.wait_for("10.0.0.1", after(61)), std::nullopt) << "it is counted anew";
}

TEST(FailedAttempts, SeldomOnesAreForgotten) {
  FailedAttempts attempts;
  for (int i = 0; i < 100; ++i) {
    attempts.failed("10.0.0.1", after(i * 20));
    EXPECT_EQ(attempts.wait_for("10.0.0.1", after(i * 20)), std::nullopt);
  }
}

TEST(FailedAttempts, RememberABoundedNumberAndTheWorst) {
  FailedAttempts attempts;
  for (int i = 0; i < FailedAttempts::kMost; ++i) attempts.failed("worst", after(1));
  for (int i = 0; i < 10'000; ++i) attempts.failed(std::to_string(i), after(2));
  EXPECT_LE(attempts.places(), FailedAttempts::kPlaces);
  EXPECT_TRUE(attempts.wait_for("worst", after(2)));
}

}  // namespace
}  // namespace gpusched
