// The parts of the screen between the title and the last line: each a heading and its lines, all of
// them; how many are shown is decided by who puts them together (view.cc).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/render/render.h"
#include "cli/table.h"
#include "cli/top/rows.h"

namespace gpusched::cli::top {

struct SectionLines {
  // For the right end of the heading: "312 waiting". There may be more than are known here.
  std::size_t count = 0;
  std::string one, many;
  StyledLine heading;
  std::vector<StyledLine> lines;
  std::vector<RowId> ids;  // Of the lines; empty where none can be selected.
};

SectionLines card_lines(const State& state, std::size_t width, Wall now);
SectionLines running_lines(const State& state, const Rows& rows, const Page& page);
SectionLines sweep_lines(const Rows& rows, const Page& page);
SectionLines foreign_lines(const Rows& rows, const Page& page);
SectionLines waiting_lines(const State& state, const Rows& rows, const Page& page);

}  // namespace gpusched::cli::top
