#include "cli/table.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace gpusched::cli {
namespace {

constexpr std::size_t kGap = 2;

struct Layout {
  std::vector<std::size_t> shown;   // Positions of the columns, in order.
  std::vector<std::size_t> widths;  // Of all columns.
  std::size_t total() const {
    std::size_t sum = shown.empty() ? 0 : kGap * (shown.size() - 1);
    for (const std::size_t column : shown) sum += widths[column];
    return sum;
  }
};

// Takes from the widest flexible column first, so that all of them stay readable.
void shrink(Layout& layout, const std::vector<Column>& columns, std::size_t width) {
  while (layout.total() > width) {
    std::optional<std::size_t> widest;
    for (const std::size_t i : layout.shown) {
      if (columns[i].least == 0 || layout.widths[i] <= columns[i].least) continue;
      if (!widest || layout.widths[i] > layout.widths[*widest]) widest = i;
    }
    if (!widest) return;
    const std::size_t over = layout.total() - width;
    // To the width of the next widest at most; one by one near the end is cheap enough.
    layout.widths[*widest] -= std::min<std::size_t>(
        over > 64 ? over / 4 : 1, layout.widths[*widest] - columns[*widest].least);
  }
}

std::size_t least_total(const Layout& layout, const std::vector<Column>& columns) {
  std::size_t sum = layout.shown.empty() ? 0 : kGap * (layout.shown.size() - 1);
  for (const std::size_t i : layout.shown) {
    sum += columns[i].least == 0 ? layout.widths[i] : std::min(columns[i].least, layout.widths[i]);
  }
  return sum;
}

void leave_out(Layout& layout, const std::vector<Column>& columns, std::size_t width) {
  while (least_total(layout, columns) > width) {
    auto victim = layout.shown.end();
    for (auto i = layout.shown.begin(); i != layout.shown.end(); ++i) {
      if (columns[*i].leave_out == 0) continue;
      if (victim == layout.shown.end() || columns[*i].leave_out > columns[*victim].leave_out) {
        victim = i;
      }
    }
    if (victim == layout.shown.end()) return;
    layout.shown.erase(victim);
  }
}

StyledLine line(const std::vector<Cell>& cells, const Layout& layout,
                const std::vector<Column>& columns) {
  StyledLine out;
  for (std::size_t k = 0; k < layout.shown.size(); ++k) {
    const std::size_t i = layout.shown[k];
    std::string text = cut(cells[i].text, layout.widths[i]);
    const std::size_t pad = layout.widths[i] - std::min(display_width(text), layout.widths[i]);
    std::string before(k > 0 ? kGap : 0, ' ');
    if (columns[i].right) before.append(pad, ' ');
    out.push_back({std::move(before)});
    out.push_back({std::move(text), cells[i].style});
    if (!columns[i].right && k + 1 < layout.shown.size()) out.push_back({std::string(pad, ' ')});
  }
  return out;
}

}  // namespace

void Table::add(std::vector<Cell> cells) {
  cells.resize(columns_.size());
  for (Cell& cell : cells) cell.text = escaped(cell.text);
  rows_.push_back(std::move(cells));
}

std::vector<StyledLine> Table::lines(std::size_t width) const {
  Layout layout;
  std::vector<Cell> head;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = 0;
    for (const auto& row : rows_) widest = std::max(widest, display_width(row[i].text));
    layout.widths.push_back(std::max(widest, display_width(columns_[i].title)));
    if (widest > 0) layout.shown.push_back(i);
    head.push_back({columns_[i].title, Style::kDim});
  }
  if (width > 0) {
    leave_out(layout, columns_, width);
    shrink(layout, columns_, width);
  }
  std::vector<StyledLine> out = {line(head, layout, columns_)};
  for (const auto& row : rows_) out.push_back(line(row, layout, columns_));
  return out;
}

std::string Table::text(std::size_t width, bool colour) const {
  std::string out;
  for (const StyledLine& pieces : lines(width)) {
    for (const Cell& piece : pieces) out += styled(piece.text, piece.style, colour);
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
  }
  return out;
}

}  // namespace gpusched::cli
