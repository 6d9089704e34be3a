#include "jobdir/log_search.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/fd.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

class LogSearching : public ::testing::Test {
 protected:
  void write(const std::string& text) {
    file_ = Fd(::open((place_ / "log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::pwrite(file_.get(), text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
  }
  LogFound search(const LogSearch& asked) {
    const auto found = search_log(file_.get(), asked);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : LogFound{};
  }
  // All of them, by as many searches as it takes; each reads little.
  std::vector<LogMatch> search_on(LogSearch asked) {
    std::vector<LogMatch> all;
    for (int i = 0; i < 100'000; ++i) {
      const LogFound found = search(asked);
      all.insert(all.end(), found.matches.begin(), found.matches.end());
      if (!found.next) return all;
      EXPECT_GT(*found.next, asked.from);
      asked.from = *found.next;
    }
    ADD_FAILURE() << "it does not end";
    return all;
  }
  testing::TemporaryDirectory place_;
  Fd file_;
};

TEST_F(LogSearching, FindsLinesAndSaysWhereTheyBegin) {
  write("first\nsecond loss=1\nthird\nloss=2 and loss=3\nlast loss");
  const LogFound found = search({.text = "loss"});
  ASSERT_EQ(found.matches.size(), 3U);
  EXPECT_EQ(found.matches[0].shown, "second loss=1");
  EXPECT_EQ(found.matches[0].line_at, 6U);
  EXPECT_EQ(found.matches[0].shown_at, 6U);
  EXPECT_EQ(found.matches[0].at, 13U);
  EXPECT_EQ(found.matches[1].shown, "loss=2 and loss=3") << "once for a line";
  EXPECT_EQ(found.matches[1].at, 26U);
  EXPECT_EQ(found.matches[2].shown, "last loss");
  EXPECT_EQ(found.matches[2].line_at, 44U);
  EXPECT_EQ(found.next, std::nullopt);
  EXPECT_EQ(found.size, 53U);
  EXPECT_TRUE(search({.text = "Loss"}).matches.empty());
}

TEST_F(LogSearching, IgnoresTheCaseOfLettersOnlyIfTold) {
  write("An ERROR\nan error\n[rror\n");
  EXPECT_EQ(search({.text = "Error"}).matches.size(), 0U);
  const LogFound found = search({.text = "ErRor", .ignore_case = true});
  ASSERT_EQ(found.matches.size(), 2U);
  EXPECT_EQ(found.matches[0].shown, "An ERROR") << "as it is written";
  EXPECT_EQ(search({.text = "{RROR", .ignore_case = true}).matches.size(), 0U);
}

TEST_F(LogSearching, GoesOnWhereItStopped) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("line {} x\n", i);
  write(text);
  LogSearch asked{.text = "x", .matches_most = 7};
  const LogFound first = search(asked);
  EXPECT_EQ(first.matches.size(), 7U);
  ASSERT_TRUE(first.next);
  EXPECT_EQ(text.substr(*first.next, 7), "line 7 ");
  const auto all = search_on(asked);
  ASSERT_EQ(all.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(all[i].shown, fmt::format("line {} x", i));
  asked.matches_most = 100;
  EXPECT_FALSE(search(asked).next) << "nothing is behind the last one";
  asked.from = 5;
  EXPECT_EQ(search(asked).matches[0].line_at, 0U) << "also of a line in the middle";
}

// Each search reads one piece; what lies on their border is found all the same.
TEST_F(LogSearching, FindsWhatLiesBetweenTwoPieces) {
  std::string text;
  while (text.size() < (3U << 20)) text += fmt::format("{:07} needle in here\n", text.size());
  write(text);
  const auto all = search_on({.text = "needle in", .matches_most = 1000, .bytes_most = 1});
  EXPECT_EQ(all.size(), std::count(text.begin(), text.end(), '\n'));
  for (const LogMatch& match : all) {
    EXPECT_EQ(match.shown, fmt::format("{:07} needle in here", match.line_at));
    EXPECT_EQ(match.at, match.line_at + 8);
  }
}

TEST_F(LogSearching, ShowsAPartOfALongLine) {
  std::string text = "begin\n" + std::string(5000, '.') + "needle" + std::string(5000, ',') +
                     "needle" + std::string(300'000, ';') + "needle\nnext needle\n";
  write(text);
  const LogFound found = search({.text = "needle"});
  ASSERT_EQ(found.matches.size(), 4U);
  for (const LogMatch& match : found.matches) {
    EXPECT_LE(match.shown.size(), kLogLineShown);
    EXPECT_EQ(text.substr(match.shown_at, match.shown.size()), match.shown);
    EXPECT_EQ(text.substr(match.at, 6), "needle");
    EXPECT_LE(match.shown_at, match.at);
    EXPECT_GE(match.shown_at + match.shown.size(), match.at + 6);
  }
  EXPECT_EQ(found.matches[0].line_at, 6U);
  EXPECT_EQ(found.matches[0].shown.size(), kLogLineShown);
  EXPECT_EQ(found.matches[1].line_at, 6U);
  EXPECT_EQ(found.matches[2].line_at, found.matches[2].at - kLogLineBack)
      << "further back nobody looks";
  EXPECT_TRUE(found.matches[2].shown.ends_with("needle"));
  EXPECT_EQ(found.matches[3].shown, "next needle");
}

TEST_F(LogSearching, CutsNoCharacterInTwo) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\u20ac";
  text += "needle";
  for (int i = 0; i < 1000; ++i) text += "\u20ac";
  write(text);
  const LogFound found = search({.text = "needle"});
  ASSERT_EQ(found.matches.size(), 1U);
  const std::string& shown = found.matches[0].shown;
  EXPECT_TRUE(shown.starts_with("\u20ac") && shown.ends_with("\u20ac"));
  EXPECT_EQ((shown.size() - 6) % 3, 0U);
}

TEST_F(LogSearching, TextsThatRepeatThemselvesCostNoMore) {
  write(std::string(2U << 20, 'a'));
  EXPECT_TRUE(search({.text = std::string(200, 'a') + "b"}).matches.empty());
  EXPECT_EQ(search({.text = "aaa", .matches_most = 1000}).matches.size(), 1000U);
}

TEST_F(LogSearching, PassesOverAHole) {
  write("one needle\n" + std::string(4096, 'x') + "need" + std::string(8192, 'x') + "le needle\n");
  constexpr off_t kFrom = 4096, kLength = 8192;
  if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, kFrom, kLength) != 0) {
    GTEST_SKIP() << "this file system has no holes";
  }
  const LogFound found = search({.text = "needle"});
  ASSERT_EQ(found.matches.size(), 2U);
  EXPECT_EQ(found.matches[1].line_at, 12'288U) << "a line begins behind it";
  EXPECT_TRUE(found.matches[1].shown.ends_with("le needle"));
  const LogFound inside = search({.text = "needle", .from = 6000});
  ASSERT_EQ(inside.matches.size(), 1U);
  EXPECT_EQ(inside.matches[0].at, found.matches[1].at);
  // Of a gibibyte of nothing no byte is read.
  ASSERT_EQ(::ftruncate(file_.get(), 1L << 30), 0);
  EXPECT_EQ(search({.text = "needle"}).matches.size(), 2U);
  ASSERT_EQ(::pwrite(file_.get(), "needle", 6, 1L << 30), 6);
  const LogFound far = search({.text = "needle"});
  ASSERT_EQ(far.matches.size(), 3U);
  EXPECT_EQ(far.matches[2].at, 1ULL << 30);
}

TEST_F(LogSearching, BeyondTheEndIsNothing) {
  write("needle\n");
  EXPECT_TRUE(search({.text = "needle", .from = 100}).matches.empty());
  EXPECT_FALSE(search({.text = "needle", .from = 100}).next);
  EXPECT_TRUE(search({.text = "needle", .from = 1}).matches.empty());
}

}  // namespace
}  // namespace gpusched
