#include "cli/display.h"

#include <gtest/gtest.h>

#include "cli/table.h"

namespace gpusched::cli {
namespace {

TEST(Display, ShowsNothingThatCouldMoveACursor) {
  EXPECT_EQ(escaped("plain ü 漢 😀"), "plain ü 漢 😀");
  EXPECT_EQ(escaped("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(escaped("\x1b[2J\x07\x7f"), "\\x1b[2J\\x07\\x7f");
  EXPECT_EQ(escaped("bad \xff\xc3 end\xe9"), "bad \\xff\\xc3 end\\xe9");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\x9b31m");
  EXPECT_EQ(escaped("x\xe2\x80\xae"
                    "y"),
            "x\\u202ey");  // Right-to-left override.
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Display, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("üö"), 2U);
  EXPECT_EQ(display_width("漢字"), 4U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);  // A combining accent.
  EXPECT_EQ(display_width("😀"), 2U);
}

TEST(Display, CutsWithAMarkAndNeverThroughACharacter) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdef", 4), "abc…");
  EXPECT_EQ(cut("漢字漢字", 4), "漢…");
  EXPECT_EQ(cut("üüüü", 3), "üü…");
  EXPECT_EQ(cut("abc", 1), "…");
  EXPECT_EQ(cut("abc", 0), "");
}

TEST(Display, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("one two three four", 10, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("one two", 0, 2), "one two");
  EXPECT_EQ(wrapped("averyveryverylongword x", 8, 0), "averyveryverylongword\nx");
}

TEST(Table, IsAsWideAsItsContentWithoutATerminal) {
  Table table({{"ID", true}, {"NAME"}, {"EMPTY"}});
  table.add({{"7"}, {"short"}, {""}});
  table.add({{"100"}, {std::string(60, 'x')}, {""}});
  EXPECT_EQ(table.text(0, false), " ID  NAME\n  7  short\n100  " + std::string(60, 'x') + "\n");
}

TEST(Table, ShrinksFlexibleColumnsThenLeavesOutTheLeastImportant) {
  Table table({{"ID", true}, {"USER", false, 4, 1}, {"COMMAND", false, 8}, {"NOTE", false, 0, 2}});
  table.add({{"7"}, {"group1"}, {"python train.py"}, {"remark"}});
  EXPECT_EQ(table.text(60, false),
            "ID  USER    COMMAND          NOTE\n"
            " 7  group1  python train.py  remark\n");
  EXPECT_EQ(table.text(30, false),
            "ID  USER    COMMAND     NOTE\n"
            " 7  group1  python tr…  remark\n");
  EXPECT_EQ(table.text(20, false),
            "ID  USER    COMMAND\n"
            " 7  group1  python …\n");
  EXPECT_EQ(table.text(14, false),
            "ID  COMMAND\n"
            " 7  python tr…\n");
}

TEST(Table, NeverExceedsTheWidth) {
  Table table({{"A", false, 5}, {"B", false, 5}, {"C", false, 5}});
  table.add({{std::string(300, 'a')}, {std::string(200, 'b')}, {"漢字漢字漢字漢字漢字"}});
  for (std::size_t width = 19; width < 200; ++width) {
    const std::string text = table.text(width, false);
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      EXPECT_LE(display_width(text.substr(begin, end - begin)), width);
      begin = end + 1;
    }
  }
}

TEST(Table, EscapesWhatUsersWroteAndColoursOnlyWhenAsked) {
  Table table({{"NAME"}});
  table.add({{"a\x1b[31m", Style::kRed}});
  EXPECT_EQ(table.text(0, false), "NAME\na\\x1b[31m\n");
  EXPECT_EQ(table.text(0, true), "\x1b[2mNAME\x1b[0m\n\x1b[31ma\\x1b[31m\x1b[0m\n");
}

}  // namespace
}  // namespace gpusched::cli
