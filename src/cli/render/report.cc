#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/table.h"
#include "cli/views/report_view.h"

namespace gpusched::cli {
namespace {

constexpr double kJoulesPerKwh = 3.6e6;
constexpr const char* kUnknown = "-";

// Small amounts with more places, so that a short test is not "0.0".
std::string amount(double value) {
  if (value > 0 && value < 0.001) return "<0.001";
  if (value >= 100) return fmt::format("{:.0f}", value);
  return value >= 1 || value == 0 ? fmt::format("{:.1f}", value) : fmt::format("{:.3f}", value);
}

std::string size_text(const std::optional<std::uint64_t>& bytes) {
  return bytes ? format_size(*bytes) : kUnknown;
}
std::string percent_text(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.0f}%", *percent) : kUnknown;
}

// Jobs: whole, or with the parts of those on several cards.
std::string count_text(double count) {
  const double whole = std::round(count);
  return std::abs(count - whole) < 0.005 ? fmt::format("{:.0f}", whole)
                                         : fmt::format("{:.2f}", count);
}

// Of an hour nobody knows how many jobs it had, and what they asked for.
std::vector<Cell> cells_of_hour(const ReportRow& row) {
  return {{row.who},
          {""},
          {""},
          {""},
          {""},
          {amount(row.gpu_seconds / 3600)},
          {""},
          {""},
          {""},
          {""},
          {row.energy_joules ? amount(*row.energy_joules / kJoulesPerKwh) : kUnknown}};
}

std::vector<Cell> cells_of(const ReportRow& row, bool cards, Style style) {
  std::vector<Cell> cells = {{row.who, style}};
  if (cards) cells.push_back({row.model, style});
  for (const std::string& text :
       {count_text(row.jobs), count_text(row.running), row.moves > 0 ? count_text(row.moves) : "",
        row.moves > 0 ? amount(row.aside_seconds / 3600) : "", amount(row.gpu_seconds / 3600),
        size_text(row.asked_vram_bytes), size_text(row.peak_vram_bytes),
        percent_text(row.peak_of_asked_percent), percent_text(row.mean_busy_percent),
        row.energy_joules ? amount(*row.energy_joules / kJoulesPerKwh) : kUnknown}) {
    cells.push_back({text, style});
  }
  return cells;
}

}  // namespace

std::string render_report(const ReportView& view, const Page& page) {
  const bool cards = view.by == "card";
  if (view.rows.empty()) {
    return wrapped(fmt::format("Nothing ran{} from {}.", cards ? " on a card" : "", view.period),
                   page.width, 0) +
           "\n";
  }
  std::string title = view.by;
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  std::vector<Column> columns = {{title, cards, cards ? 0U : 6U}};
  if (cards) columns.push_back({"MODEL", false, 8, 4});
  for (Column column :
       {Column{"JOBS", true}, Column{"RUNNING", true, 0, 5}, Column{"MOVED", true, 0, 6},
        Column{"ASIDE", true, 0, 6}, Column{"GPU-HOURS", true}, Column{"ASKED", true, 0, 2},
        Column{"PEAK", true, 0, 1}, Column{"OF ASKED", true}, Column{"BUSY", true},
        Column{"KWH", true}}) {
    columns.push_back(std::move(column));
  }
  Table table(std::move(columns));
  for (const ReportRow& row : view.rows) {
    table.add(view.by == "hour" ? cells_of_hour(row) : cells_of(row, cards, Style::kPlain));
  }
  ReportRow total = view.total;
  total.who = "all";
  if (view.rows.size() > 1) table.add(cells_of(total, cards, Style::kBold));
  const std::string head = fmt::format("Work from {}, by {}", view.period, view.by);
  return wrapped(head, page.width, 0) + "\n" + table.text(page.width, page.colour);
}

}  // namespace gpusched::cli
