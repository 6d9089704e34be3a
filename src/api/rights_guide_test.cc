// The guide shows the table of rights that is used.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/access/rights.h"

namespace gpusched {
namespace {

std::string word(Right right, std::string_view opening) {
  switch (right) {
    case Right::kNo:
      return "no";
    case Right::kYes:
      return "yes";
    case Right::kIfOpened:
      return "with `" + std::string(opening) + "`";
  }
  return {};
}

TEST(RightsTable, IsTheOneInTheGuide) {
  std::ostringstream table;
  for (const RightsRow& row : rights_table()) {
    table << "| " << row.what << " | " << word(row.own, row.opening) << " | "
          << word(row.others, row.opening) << " |\n";
  }
  std::ifstream file(GPUSCHED_SOURCE_DIR "/docs/guide/administer.md");
  std::ostringstream guide;
  guide << file.rdbuf();
  EXPECT_NE(guide.str().find("| --- | --- | --- |\n" + table.str()), std::string::npos)
      << "docs/guide/administer.md must hold this table:\n"
      << table.str();
}

}  // namespace
}  // namespace gpusched
