// Tables that fit: columns are as wide as their content, the flexible ones give way when the
// terminal is narrower, and the least important ones are left out before anything wraps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/display.h"

namespace gpusched::cli {

struct Column {
  std::string title;
  bool right = false;     // Numbers.
  std::size_t least = 0;  // >0: may shrink to this many columns, with "…".
  int leave_out = 0;      // >0: may be left out, the largest first.
};

struct Cell {
  std::string text;  // Any bytes; escaped here.
  Style style = Style::kPlain;
};

// A line in pieces, each with its own style, for who draws in another way than by escape sequences.
using StyledLine = std::vector<Cell>;

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> cells);
  // Width 0: as wide as it takes. Columns that are empty in every row are left out.
  std::string text(std::size_t width, bool colour) const;
  // The titles, then the rows, laid out the same way.
  std::vector<StyledLine> lines(std::size_t width) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace gpusched::cli
