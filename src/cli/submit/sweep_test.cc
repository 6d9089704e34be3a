#include "cli/submit/sweep.h"

#include <gtest/gtest.h>

namespace gpusched::cli {
namespace {

using Texts = std::vector<std::string>;

TEST(Sweep, ReadsListsAndRanges) {
  const struct {
    std::string text;
    Texts values;
  } cases[] = {
      {"lr=0.1,0.01", {"0.1", "0.01"}},
      {"seed=1:5", {"1", "2", "3", "4", "5"}},
      {"x=0:1:0.25", {"0.00", "0.25", "0.50", "0.75", "1.00"}},
      {"x=0:0.3:0.1", {"0.0", "0.1", "0.2", "0.3"}},
      {"x=5:1:-2", {"5", "3", "1"}},
      {"x=-1:1", {"-1", "0", "1"}},
      {"x=-0.5:0.5:0.5", {"-0.5", "0.0", "0.5"}},
      {"x=1:3,10", {"1", "2", "3", "10"}},
      {"x=3:3", {"3"}},
      {"x=one", {"one"}},
      {"x=a\\,b,c", {"a,b", "c"}},
      {"x=10\\:30", {"10:30"}},
      {"x=a:b", {"a:b"}},
      {"x=1e-3", {"1e-3"}},
      {"x=1e-5:4e-5:1e-5", {"1e-5", "2e-5", "3e-5", "4e-5"}},
      {"x=5e-5:2e-4:5e-5", {"5e-5", "1e-4", "1.5e-4", "2e-4"}},
      {"x=0:1E+3:5e2", {"0", "5e2", "1e3"}},
      {"x=-1e0:1:1", {"-1", "0", "1"}},
      {"x=1e:2", {"1e:2"}},
      {"x=1e-99:2", {"1e-99:2"}},
      {"x=C\\dir", {"C\\dir"}},
      {"path=/a=b", {"/a=b"}},
      {"x=a,", {"a", ""}},
  };
  for (const auto& [text, values] : cases) {
    const auto parameter = parse_parameter(text);
    ASSERT_TRUE(parameter) << text << ": " << parameter.error().message;
    EXPECT_EQ(parameter->values, values) << text;
  }
}

TEST(Sweep, RefusesWhatHasNoValues) {
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"lr", "cannot read 'lr'; write NAME=VALUE,VALUE or NAME=1:5"},
      {"=1", "cannot read '=1'; write NAME=VALUE,VALUE or NAME=1:5"},
      {"a b=1", "cannot read 'a b=1'; write NAME=VALUE,VALUE or NAME=1:5"},
      {"lr=", "'lr=' has no values"},
      {"x=1:5:0", "the step of x=1:5:0 is 0; it must be larger"},
      {"x=5:1", "the range x=5:1 is empty: its step leads away from its end"},
      {"x=1:5:-1", "the range x=1:5:-1 is empty: its step leads away from its end"},
      {"x=1e-4:1e-5:1e-5", "the range x=1e-4:1e-5:1e-5 is empty: its step leads away from its end"},
      {"x=1e15:2e15:1e-9", "the range 1e15:2e15:1e-9 has more digits than can be counted exactly"},
      {"x=0:9999999", "the range x=0:9999999 has more than 1000000 values"},
  };
  for (const auto& [text, message] : cases) {
    const auto parameter = parse_parameter(text);
    ASSERT_FALSE(parameter) << text;
    EXPECT_EQ(parameter.error().message, message);
  }
}

TEST(Sweep, SurvivesNumbersAtTheEndsOfTheirRange) {
  for (const std::string text :
       {"x=9223372036854775807:9223372036854775807", "x=0:999999999999999:0.000000001",
        "x=-999999999999999:999999999999999", "x=0.000000001:999999999999999:1"}) {
    (void)parse_parameter(text);
  }
}

TEST(Sweep, CrossesParametersTheLastVaryingFastest) {
  const auto tasks = cross_product({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}});
  ASSERT_TRUE(tasks);
  ASSERT_EQ(tasks->size(), 6U);
  EXPECT_EQ((*tasks)[0], (SweepTask{{"a", "1"}, {"b", "x"}}));
  EXPECT_EQ((*tasks)[1], (SweepTask{{"a", "1"}, {"b", "y"}}));
  EXPECT_EQ((*tasks)[5], (SweepTask{{"a", "2"}, {"b", "z"}}));
}

TEST(Sweep, RefusesTooManyAndDoubledParameters) {
  const Texts thousand(1000, "v");
  EXPECT_EQ(cross_product({{"a", thousand}, {"b", thousand}, {"c", {"1", "2"}}}).error().message,
            "the sweep has more than 1000000 jobs; cut it into several");
  EXPECT_EQ(cross_product({{"a", {"1"}}, {"a", {"2"}}}).error().message,
            "the parameter a is given twice");
}

TEST(Sweep, TakesLinesThatCount) {
  EXPECT_EQ(lines_of("one\n\n  \ntwo words\r\nlast"), (Texts{"one", "two words", "last"}));
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_TRUE(lines_of("\n\n").empty());
}

TEST(Sweep, CutsAnArrayIntoIndicesAndLimit) {
  EXPECT_EQ(parse_array("0-99%4")->indices, "0-99");
  EXPECT_EQ(parse_array("0-99%4")->limit, 4);
  EXPECT_EQ(parse_array("1,3,5")->limit, 0);
  EXPECT_EQ(parse_array("0-100:10")->indices, "0-100:10");
  EXPECT_EQ(parse_array("").error().message, "the array is empty; write 0-99 or 1,3,5");
  EXPECT_EQ(parse_array("%4").error().message, "the array is empty; write 0-99 or 1,3,5");
  for (const std::string text : {"0-", "a", "0-99%", "0-99%0", "0-99%x", "1,,2", "-3", "1 2"}) {
    ASSERT_FALSE(parse_array(text)) << text;
    EXPECT_NE(parse_array(text).error().message.find("cannot read the array"), std::string::npos);
  }
}

}  // namespace
}  // namespace gpusched::cli
