#include "mover/words.h"

#include <gtest/gtest.h>

namespace gpusched::mover {
namespace {

TEST(Words, AreReadAsTheDaemonWritesThem) {
  const auto words =
      parse_words({"back", "/a b", "--attempt", "7.2", "--token", "t", "--room", "GPU-x=5",
                   "--room", "GPU-y=6", "--reserve", "9", "--lock-timeout", "3", "--report", "4"});
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_FALSE(words->out);
  EXPECT_EQ(words->directory, "/a b");
  EXPECT_EQ(words->attempt, (AttemptId{JobId{7}, 2}));
  EXPECT_EQ(words->token, "t");
  EXPECT_EQ(words->room, (std::vector<CardBytes>{{"GPU-x", 5}, {"GPU-y", 6}}));
  EXPECT_EQ(words->reserve_bytes, 9U);
  EXPECT_EQ(words->lock_timeout, Seconds{3});
  EXPECT_EQ(words->report_fd, 4);
}

TEST(Words, HaveDefaultsThatAreSafe) {
  const auto words = parse_words({"out", "d"});
  ASSERT_TRUE(words);
  EXPECT_TRUE(words->out);
  EXPECT_EQ(words->reserve_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(words->lock_timeout, Seconds{10});
  EXPECT_EQ(words->tree, 0);
}

TEST(Words, NameATreeWithItsStartAndWhoIsApart) {
  const auto words =
      parse_words({"out", "d", "--tree", "7", "--started", "99", "--apart", "8", "--apart", "9"});
  ASSERT_TRUE(words);
  EXPECT_EQ(words->tree, 7);
  EXPECT_EQ(words->tree_started, 99U);
  EXPECT_EQ(words->apart, (std::vector<pid_t>{8, 9}));
}

TEST(Words, ThatMakeNoSenseAreRefused) {
  const std::vector<std::vector<std::string>> all = {
      {},
      {"out"},
      {"up", "d"},
      {"out", "d", "--tree"},
      {"out", "d", "--tree", "1"},
      {"out", "d", "--tree", "x"},
      {"out", "d", "--tree", "7", "--started", "-1"},
      {"out", "d", "--tree", "7", "--apart", "x"},
      {"out", "d", "--room", "5"},
      {"out", "d", "--room", "GPU=x"},
      {"out", "d", "--attempt", "7"},
      {"out", "d", "--lock-timeout", "0"},
      {"out", "d", "--reserve", "-1"},
      {"out", "d", "--colour", "blue"},
  };
  for (const auto& words : all) EXPECT_FALSE(parse_words(words)) << words.size();
}

}  // namespace
}  // namespace gpusched::mover
