#include "notifier/plain_text.h"

#include <gtest/gtest.h>

namespace gpusched::notifier {
namespace {

TEST(PlainText, IsOneLineOfProperCharacters) {
  EXPECT_EQ(one_line("a\r\nb\tc\x01\x7f\xC2\x85"), "a  b c   ");
  EXPECT_EQ(one_line("a\xFF\xC3"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(one_line("a\xE2\x80\xAE\x62\xE2\x81\xA6"), "ab");  // Directions are gone.
  EXPECT_EQ(one_line("a\xE2\x80\xA8\x62"), "a b");
  EXPECT_EQ(one_line("91 \xC2\xB0\x43 \xF0\x9F\x94\xA5"), "91 \xC2\xB0\x43 \xF0\x9F\x94\xA5");
  EXPECT_EQ(clean_lines("a\r\nb"), "a \nb");
}

TEST(PlainText, IsCutBetweenCharacters) {
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abcdef", 5), "ab\xE2\x80\xA6");
  // The second byte of the umlaut does not fit.
  EXPECT_EQ(cut("a\xC3\xA4xyz", 5), "a\xE2\x80\xA6");
  EXPECT_EQ(cut("abc", 2), "");
}

TEST(PlainText, HasCommasInLargeNumbers) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(9'999), "9,999");
  EXPECT_EQ(with_commas(1'234'567), "1,234,567");
}

TEST(PlainText, IsEscapedForItsPlace) {
  EXPECT_EQ(escape_markdown("a*b_[c](d)"), "a\\*b\\_\\[c\\](d)");
  EXPECT_EQ(escape_entities("<!here> & b"), "&lt;!here&gt; &amp; b");
  EXPECT_EQ(without_mentions("@all"), "@\xE2\x80\x8B\x61ll");
}

}  // namespace
}  // namespace gpusched::notifier
