#include "notify/drop_tally.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

Untold untold(const std::string& user, std::uint64_t times = 1) {
  return {.target = {"mail", user + "@lab.org"}, .user = user, .job = {}, .times = times};
}

TEST(DropTally, NamesWhoLostMostInOneLineForEachReceiver) {
  DropTally tally;
  for (int i = 0; i < 40; ++i) tally.add({untold("ml1")});
  for (int i = 0; i < 6; ++i) tally.add({untold("u" + std::to_string(i), 2)});
  Untold elsewhere = untold("ml2");
  elsewhere.target.receiver = "more";
  tally.add({elsewhere});
  const auto lines = tally.take();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].receiver, "mail");
  EXPECT_EQ(lines[0].notices, 52U);
  EXPECT_EQ(lines[0].users, "ml1 (40), u0 (2), u1 (2), u2 (2), u3 (2) and 2 more");
  EXPECT_EQ(lines[1].receiver, "more");
  EXPECT_TRUE(tally.empty());
  EXPECT_TRUE(tally.take().empty());
  EXPECT_EQ(tally.total("mail"), 52U) << "since the beginning";
  EXPECT_EQ(tally.total("none"), 0U);
}

TEST(DropTally, RemembersABoundedNumberOfUsers) {
  DropTally tally;
  for (int i = 0; i < 5000; ++i) tally.add({untold("u" + std::to_string(i))});
  const auto lines = tally.take();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].notices, 5000U);
  EXPECT_EQ(lines[0].users, "others (4000), u0 (1), u1 (1), u10 (1), u100 (1) and 996 more");
}

}  // namespace
}  // namespace gpusched
