#include "client/row_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace gpusched {
namespace {

std::vector<std::string> rows_of(std::string_view text, std::size_t piece) {
  std::vector<std::string> rows;
  RowSplitter splitter([&](std::string_view row) { rows.emplace_back(row); });
  for (std::size_t at = 0; at < text.size(); at += piece) splitter.feed(text.substr(at, piece));
  EXPECT_TRUE(splitter.complete());
  return rows;
}

TEST(RowSplitter, CutsRowsWhereverThePiecesEnd) {
  const std::string_view text =
      R"({"schema":1,"jobs":[{"id":1,"x":[{"a":"]}"}]}, {"id":2,"c":"\"{[\\"},{}],"more":)"
      R"([{"y":1}]})";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(rows_of(text, piece), (std::vector<std::string>{R"({"id":1,"x":[{"a":"]}"}]})",
                                                              R"({"id":2,"c":"\"{[\\"})", "{}"}))
        << piece;
  }
}

TEST(RowSplitter, FindsNothingInAnEmptyList) {
  EXPECT_TRUE(rows_of(R"({"schema":1,"jobs":[]})", 3).empty());
}

TEST(RowSplitter, KnowsWhenTheListWasCutShort) {
  RowSplitter splitter([](std::string_view) {});
  splitter.feed(R"({"schema":1,"jobs":[{"id":1},{"id")");
  EXPECT_FALSE(splitter.complete());
}

}  // namespace
}  // namespace gpusched
