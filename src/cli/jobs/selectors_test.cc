#include "cli/jobs/selectors.h"

#include <gtest/gtest.h>

#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

Result<Selection> select(const std::vector<std::string>& words) {
  auto arguments = parse_arguments("cancel", kChangingSections, Operands::kJobs, words);
  if (!arguments) return failure(arguments.error());
  return selection_of(*arguments);
}

TEST(Selectors, ReadsWhatPeopleWrite) {
  const struct {
    std::string word;
    std::string selector;
  } cases[] = {{"7", "7"},          {"7-12", "7-12"}, {"7,9,20-22", "7,9,20-22"},
               {"last", "last"},    {"@", "last"},    {"@~0", "last"},
               {"@~2", "@~2"},      {"all", "all"},   {"3-3", "3"},
               {"last,7", "last,7"}};
  for (const auto& [word, selector] : cases) {
    const auto parsed = parse_selector(word);
    ASSERT_TRUE(parsed) << word;
    EXPECT_EQ(*parsed, selector);
  }
}

TEST(Selectors, RefusesWhatNamesNoJob) {
  for (const std::string word : {"", "0", "-1", "7-", "-7", "7--9", "x", "@~", "@~x", "7,", ",7",
                                 "1.5", "99999999999999999999", "lst"}) {
    const auto parsed = parse_selector(word);
    ASSERT_FALSE(parsed) << word;
    EXPECT_EQ(exit_code_of(parsed.error().code), 64) << word;
    EXPECT_NE(parsed.error().message.find("names no job"), std::string::npos) << word;
  }
  EXPECT_EQ(parse_selector("12-7").error().message, "the range 12-7 runs backwards; write 7-12");
  EXPECT_NE(parse_selector("lats").error().message.find("did you mean last?"), std::string::npos);
}

TEST(Selectors, JoinsOperandsAndEncodesFilters) {
  const auto selection = select({"7", "9-10", "--state", "failed,queued", "--name", "a b&c"});
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->jobs, "7,9-10");
  EXPECT_EQ(selection->query, "state=failed,queued&name=a%20b%26c");
}

TEST(Selectors, MeansAllWhenOnlyFiltersAreGiven) {
  EXPECT_EQ(select({"--tag", "paper"})->jobs, "all");
  EXPECT_EQ(select({"--all"})->jobs, "all");
  EXPECT_EQ(select({})->jobs, "");
}

Result<Selection> look(const std::vector<std::string>& words, Reach reach) {
  return selection_of(*parse_arguments("status", kReadingSections, Operands::kJobs, words), reach);
}

TEST(Selectors, AllIsOnesOwnThatHaveNotEndedForVerbsThatLook) {
  for (const Reach reach : {Reach::kOwn, Reach::kMachine}) {
    EXPECT_EQ(look({"--all"}, reach)->query, "state=active,waiting&mine=1");
    EXPECT_EQ(look({"--all", "--state", "ended"}, reach)->query, "state=ended&mine=1");
    EXPECT_EQ(look({"--all", "--since", "2h"}, reach)->query, "since=2h&mine=1");
    EXPECT_EQ(look({"--all", "--user", "ml2"}, reach)->query, "user=ml2&state=active,waiting");
    EXPECT_EQ(look({"--all", "--everybody"}, reach)->query, "state=active,waiting");
    EXPECT_EQ(look({"7"}, reach)->query, "");
  }
  EXPECT_EQ(look({"--tag", "t"}, Reach::kOwn)->query, "tag=t&mine=1");
  EXPECT_EQ(look({"--tag", "t"}, Reach::kMachine)->query, "tag=t");
  EXPECT_EQ(select({"--all"})->query, "");
}

TEST(Selectors, RefusesFiltersThatAreEmpty) {
  EXPECT_EQ(select({"--group", ""}).error().message, "--group: is empty");
  EXPECT_EQ(exit_code_of(select({"--array", ""}).error().code), 64);
}

TEST(Selectors, RefusesContradictionsAndUnknownStates) {
  EXPECT_EQ(select({"--all", "7"}).error().message,
            "--all and '7' say different things; give one of them");
  EXPECT_EQ(select({"--state", "runing"}).error().message,
            "--state: there is no state 'runing'; did you mean running?");
}

TEST(Selectors, WritesIdsShortly) {
  EXPECT_EQ(selector_of(std::vector<std::uint64_t>{7, 8, 9, 12, 14, 15}), "7-9,12,14-15");
  EXPECT_EQ(selector_of(std::vector<std::uint64_t>{}), "");
  EXPECT_TRUE(is_moving("last"));
  EXPECT_TRUE(is_moving("7,@~2"));
  EXPECT_TRUE(is_moving("all"));
  EXPECT_FALSE(is_moving("7-9,12"));
}

}  // namespace
}  // namespace gpusched::cli
