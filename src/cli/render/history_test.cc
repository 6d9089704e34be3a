// The past of the cards as bars. With GPUSCHED_UPDATE_GOLDEN=1 the files are written anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/text.h"
#include "cli/display.h"
#include "cli/files.h"
#include "cli/views/history_view.h"

namespace gpusched::cli {
namespace {

const std::string kHistoryGoldens = GPUSCHED_GOLDEN_DIRECTORY "/cli/";

Page history_page(std::size_t width) {
  return {.width = width, .now = *parse_rfc3339("2026-01-01T10:00:00.000Z"), .offset_at = [](Wall) {
            return Seconds{3600};
          }};
}

void compare(const std::string& name, const std::string& text, std::size_t width) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(display_width(text.substr(begin, end - begin)), width) << name;
    begin = end + 1;
  }
  const std::string path = kHistoryGoldens + name + ".txt";
  if (std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  const auto expected = read_input(path);
  ASSERT_TRUE(expected) << expected.error().message;
  EXPECT_EQ(*expected, text) << name;
}

HistoryView view() {
  auto parsed = parse_history(*read_input(kHistoryGoldens + "history.json"));
  EXPECT_TRUE(parsed);
  return *parsed;
}

TEST(History, AtThreeWidths) {
  for (const std::size_t width : {60U, 80U, 120U}) {
    compare(fmt::format("history-{}", width), render_history(view(), history_page(width)), width);
  }
}

TEST(History, WithoutUnicode) {
  Page page = history_page(80);
  page.ascii = true;
  const std::string text = render_history(view(), page);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c > 0; }));
  compare("history-ascii", text, 80);
}

TEST(History, OfNothing) {
  EXPECT_EQ(render_history({}, history_page(80)), "Nothing is known of that time.\n");
  const auto empty = parse_history(R"({"schema":1,"cards":[{"number":0,"uuid":"GPU-5f"}]})");
  ASSERT_TRUE(empty);
  EXPECT_EQ(render_history(*empty, history_page(80)), "Card 0  GPU-5f\n");
}

TEST(Sparkline, HasOneCharacterPerValueAndABlankForAGap) {
  EXPECT_EQ(sparkline({0.0, 12.4, 12.5, std::nullopt, 50.0, 99.9, 100.0, 250.0}, 100, false),
            "▁▁▂ ▅███");
  EXPECT_EQ(sparkline({0.0, 50.0, std::nullopt, 100.0}, 100, true), "_= #");
  EXPECT_EQ(sparkline({0.0, 0.0}, 0, true), "__");
  EXPECT_EQ(sparkline({}, 1, false), "");
}

TEST(History, LeavesRoomForItsFiguresAndSomeBars) {
  EXPECT_EQ(history_columns(history_page(80)), 38U);
  EXPECT_EQ(history_columns(history_page(0)), 38U);
  EXPECT_EQ(history_columns(history_page(20)), 8U);
}

}  // namespace
}  // namespace gpusched::cli
