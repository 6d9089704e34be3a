// The report at three widths, against files in tests/golden/cli.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/text.h"
#include "cli/display.h"
#include "cli/files.h"
#include "cli/views/report_view.h"

namespace gpusched::cli {
namespace {

const std::string kReportGoldens = GPUSCHED_GOLDEN_DIRECTORY "/cli/";

void compare(const std::string& name) {
  const auto view = parse_report(*read_input(kReportGoldens + name + ".json"));
  ASSERT_TRUE(view);
  for (const std::size_t width : {80U, 120U, 50U}) {
    const std::string text = render_report(*view, {.width = width});
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
      EXPECT_LE(display_width(text.substr(begin, text.find('\n', begin) - begin)), width) << text;
    }
    const std::string path = kReportGoldens + name + "-" + std::to_string(width) + ".txt";
    if (std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(path) << text;
      continue;
    }
    const auto expected = read_input(path);
    ASSERT_TRUE(expected) << expected.error().message;
    EXPECT_EQ(*expected, text) << path;
  }
}

TEST(Report, ByUser) { compare("report-user"); }
TEST(Report, ByCard) { compare("report-card"); }

TEST(Report, WithoutWorkIsASentence) {
  const auto view = parse_report(
      R"({"schema":1,"since":"2026-01-01T08:00:00.000Z","until":"2026-01-02T00:00:00.000Z",)"
      R"("by":"user","rows":[]})");
  ASSERT_TRUE(view);
  EXPECT_EQ(render_report(*view, {.width = 80}),
            "Nothing ran from 2026-01-01 08:00 to 2026-01-02 00:00, UTC.\n");
}

}  // namespace
}  // namespace gpusched::cli
