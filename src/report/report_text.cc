#include "report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "report/report_figures.h"

namespace gpusched {
namespace {

constexpr std::size_t kLabelMost = 40;
constexpr std::size_t kRowsShown = 40;
constexpr std::size_t kPairsShown = 12;

using Line = std::vector<std::string>;

// Letters, as columns go.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string cut(std::string text) {
  if (width_of(text) <= kLabelMost) return text;
  std::size_t letters = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U && ++letters == kLabelMost) break;
    ++end;
  }
  return text.substr(0, end) + "…";
}

// Words to the left, figures to the right.
bool holds_words(const std::vector<Line>& lines, std::size_t column) {
  if (column == 0) return true;
  const std::string& first = lines.size() > 1 ? lines[1][column] : lines[0][column];
  return !first.empty() && (first.front() == '(' || (first.front() >= 'a' && first.front() <= 'z'));
}

std::string table(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths;
  for (const Line& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(line[i]));
    }
  }
  std::string out;
  for (const Line& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - width_of(line[i]), ' ');
      if (i > 0) text += "  ";
      text += holds_words(lines, i) ? line[i] + blanks : blanks + line[i];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string size_of(const std::optional<std::uint64_t>& bytes) {
  return bytes ? format_size(*bytes) : "-";
}

// A line for each of the first rows, then one for all.
template <class Make>
std::vector<Line> lines_of(const wire::Report& report, Line head, Make make) {
  std::vector<Line> lines = {std::move(head)};
  std::size_t left = kRowsShown;
  for (const wire::ReportRow& row : report.rows) {
    if (left-- == 0) break;
    Line line = make(row);
    if (line.empty()) continue;
    line.insert(line.begin(), cut(report_row_label(row)));
    lines.push_back(std::move(line));
  }
  if (report.rows.size() > 1) {
    Line line = make(report.total);
    if (!line.empty()) {
      line.insert(line.begin(), "all");
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

void add_section(std::string& out, std::string_view title, const std::vector<Line>& lines) {
  if (lines.size() < 2) return;
  out += fmt::format("\n{}\n{}", title, table(lines));
}

Line waits_line(const wire::ReportRow& row) {
  if (!row.waits) return {};
  const wire::ReportWaits& waits = *row.waits;
  return {report_count(waits.jobs.is), report_span(waits.mean_s), report_span(waits.median_s),
          report_span(waits.p90_s), report_span(waits.p99_s)};
}

Line use_line(const wire::ReportRow& row) {
  if (!row.used_of_asked_percent && !row.mean_busy_percent && !report_time_percent(row)) return {};
  return {size_of(row.asked_vram_bytes),
          size_of(row.used_vram_bytes),
          report_percent(row.used_of_asked_percent),
          report_percent(row.held_compute_percent),
          report_percent(row.mean_busy_percent),
          report_percent(report_time_percent(row)),
          row.wasted_gpu_seconds ? report_amount(*row.wasted_gpu_seconds / 3600) : "-"};
}

Line cost_line(const wire::ReportRow& row) {
  if (!row.cost) return {};
  return {report_amount(row.gpu_seconds / 3600),
          row.energy_joules ? report_amount(*row.energy_joules / 3.6e6) : "-",
          fmt::format("{:.2f}", *row.cost)};
}

Line failures_line(const wire::ReportRow& row) {
  const std::string failures = report_failures(row);
  return failures.empty() ? Line{} : Line{failures};
}

Line moves_line(const wire::ReportRow& row) {
  if (!(row.moves.is > 0) && !(row.aside_seconds > 0)) return {};
  return {report_count(row.moves.is), report_span(row.aside_seconds), size_of(row.moved_bytes)};
}

void add_waited_for(std::string& out, const wire::Report& report) {
  if (!report.waited_for || report.waited_for->empty()) return;
  std::vector<Line> lines = {{"TENANT", "WAITED FOR", "HOURS"}};
  for (const wire::ReportWaitedFor& pair : *report.waited_for) {
    if (lines.size() > kPairsShown) break;
    lines.push_back({cut(harmless_text(pair.tenant)), cut(report_holder(pair.holder)),
                     report_amount(pair.seconds / 3600)});
  }
  add_section(out, "Who waited for whom", lines);
}

}  // namespace

std::string report_sections(const wire::Report& report) {
  std::string out;
  add_section(out, "Waiting",
              lines_of(report, {"", "JOBS", "MEAN", "MEDIAN", "P90", "P99"}, waits_line));
  add_section(
      out, "Used against asked",
      lines_of(report, {"", "VRAM ASKED", "USED", "OF ASKED", "HELD", "LOAD", "TIME", "WASTE"},
               use_line));
  add_section(out, "Failures", lines_of(report, {"", "BY CAUSE"}, failures_line));
  add_section(out, "Moved aside", lines_of(report, {"", "MOVES", "AWAY", "BYTES"}, moves_line));
  if (!report.currency.empty()) {
    add_section(out, "Cost in " + harmless_text(report.currency),
                lines_of(report, {"", "GPU-HOURS", "KWH", "COST"}, cost_line));
  }
  add_waited_for(out, report);
  if (report.suggestions) {
    out += "\nSuggestions\n";
    for (const wire::ReportSuggestion& one : *report.suggestions) {
      out += harmless_text(one.text) + "\n";
    }
    if (report.suggestions->empty()) out += "None: no program asks for much more than it uses.\n";
  }
  if (out.empty() && !report.notes) return out;
  out += "\n";
  if (out.find("Used against asked\n") != std::string::npos) out += fmt::format("{}\n", kUseMeans);
  if (out.find("Moved aside\n") != std::string::npos) out += fmt::format("{}\n", kMovesMeans);
  if (report.total.wasted_gpu_seconds) out += fmt::format("{}\n", kWasteMeans);
  if (report.total.waits) out += fmt::format("{}\n", kWaitMeans);
  if (report.waited_for && !report.waited_for->empty()) out += fmt::format("{}\n", kWaitedForMeans);
  if (report.notes) {
    for (const std::string& note : *report.notes) out += "Note: " + harmless_text(note) + ".\n";
  }
  return out;
}

std::string report_text(const wire::Report& report) {
  std::string out = fmt::format("Work from {}, by {}\n", report_period(report), report.by);
  if (report.rows.empty()) return out + "Nothing ran.\n";
  const auto line = [](const wire::ReportRow& row) -> Line {
    // Of an hour nobody knows how many.
    return {row.hour ? "-" : report_count(row.jobs.is),
            row.hour ? "-" : report_count(row.running.is), report_amount(row.gpu_seconds / 3600),
            row.energy_joules ? report_amount(*row.energy_joules / 3.6e6) : "-"};
  };
  out += table(lines_of(report, {"", "JOBS", "RUNNING", "GPU-HOURS", "KWH"}, line));
  if (report.rows.size() > kRowsShown) {
    out += fmt::format("and {} more\n", report.rows.size() - kRowsShown);
  }
  return out + report_sections(report);
}

}  // namespace gpusched
