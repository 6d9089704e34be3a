#include "cli/logs/together.h"

#include <gtest/gtest.h>

namespace gpusched::cli {
namespace {

TEST(PrefixedLines, TellsWholeLinesOnly) {
  PrefixedLines lines(7, 2, false);
  EXPECT_EQ(lines.feed("one\ntw"), " 7 | one\n");
  EXPECT_EQ(lines.feed("o"), "");
  EXPECT_EQ(lines.feed("\n\nthree"), " 7 | two\n 7 | \n");
  EXPECT_EQ(lines.finish(), " 7 | three\n");
  EXPECT_EQ(lines.finish(), "");
}

TEST(PrefixedLines, ShowsTheLastOfALineThatWasDrawnOver) {
  PrefixedLines lines(7, 1, false);
  EXPECT_EQ(lines.feed("10%\r50%\r100%\r\ndone\r\n"), "7 | 100%\n7 | done\n");
}

TEST(PrefixedLines, HasItsJobInColour) {
  PrefixedLines lines(4, 1, true);
  EXPECT_EQ(lines.feed("x\n"), "\x1b[36m4 |\x1b[0m x\n");
}

}  // namespace
}  // namespace gpusched::cli
