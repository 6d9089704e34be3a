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

// Of one's own and of others', in one cell.
std::string words(const RoleRights& rights, std::string_view opening) {
  if (rights.own == rights.others) return word(rights.own, opening);
  if (rights.others == Right::kNo) {
    return rights.own == Right::kYes ? "own" : "own, " + word(rights.own, opening);
  }
  return "own; others' " + word(rights.others, opening);
}

TEST(RightsTable, IsTheOneInTheGuide) {
  std::ostringstream table;
  for (const RightsRow& row : rights_table()) {
    table << "| " << row.what << " |";
    for (const RoleRights& rights : {row.viewer, row.user, row.op}) {
      table << " " << words(rights, row.opening) << " |";
    }
    table << "\n";
  }
  std::ifstream file(GPUSCHED_SOURCE_DIR "/docs/guide/administer.md");
  std::ostringstream guide;
  guide << file.rdbuf();
  EXPECT_NE(guide.str().find("| --- | --- | --- | --- |\n" + table.str()), std::string::npos)
      << "docs/guide/administer.md must hold this table:\n"
      << table.str();
}

}  // namespace
}  // namespace gpusched
