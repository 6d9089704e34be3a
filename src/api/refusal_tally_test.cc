#include "api/refusal_tally.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

Now at(int second) { return {Wall(Seconds(second)), Boot(Seconds(second))}; }

AuditEntry refusal(const std::string& target) {
  AuditEntry entry;
  entry.operation = "cancel_jobs";
  entry.target = target;
  return entry;
}

TEST(RefusalTally, WritesTheFirstAndCountsTheOthers) {
  RefusalTally tally;
  EXPECT_TRUE(tally.is_written("a", refusal("1"), 2, at(0)));
  EXPECT_TRUE(tally.is_written("a", refusal("2"), 2, at(1)));
  EXPECT_FALSE(tally.is_written("a", refusal("3"), 2, at(2)));
  EXPECT_FALSE(tally.is_written("a", refusal("4"), 2, at(3)));
  EXPECT_TRUE(tally.is_written("b", refusal("5"), 2, at(3)));
  EXPECT_TRUE(tally.take_over(at(59)).empty());
  const std::vector<AuditEntry> counts = tally.take_over(at(60));
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].times, 2U);
  EXPECT_EQ(counts[0].target, "4");
  EXPECT_TRUE(tally.is_written("a", refusal("6"), 2, at(61))) << "a new minute";
  EXPECT_TRUE(tally.take_over(at(63)).empty()) << "nothing was counted of b";
}

TEST(RefusalTally, RemembersABoundedNumberOfAskers) {
  RefusalTally tally;
  const std::size_t many = RefusalTally::kAskersMost * 3;
  std::size_t written = 0;
  for (std::size_t i = 0; i < many; ++i) {
    if (tally.is_written(std::to_string(i), refusal("1"), 1, at(0))) ++written;
  }
  EXPECT_LE(tally.askers(), RefusalTally::kAskersMost + 1);
  EXPECT_LE(written, RefusalTally::kAskersMost + 1);
  const std::vector<AuditEntry> counts = tally.take_over(at(60));
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].times, many - written);
  EXPECT_EQ(counts[0].from, "many addresses");
  EXPECT_TRUE(tally.empty());
}

}  // namespace
}  // namespace gpusched
