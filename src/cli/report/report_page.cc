#include "cli/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "base/text.h"
#include "cli/report/report_plots.h"
#include "replay/svg_plot.h"
#include "report/report_figures.h"

namespace gpusched::cli {
namespace {

using replay::escape_html;

constexpr std::size_t kBarsMost = 15;
constexpr std::size_t kTableRowsMost = 500;
constexpr std::size_t kPairsOfPage = 30;
constexpr std::chrono::days kDaysDrawn{1000};
constexpr std::size_t kLettersOfDay = 10;  // "2026-01-01"
constexpr std::size_t kLettersOfMonth = 7;

constexpr std::string_view kPageStyle =
    ":root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--back:#fff;--line:#d8dee4;"
    "--bar:#2f6fb5;--mark:#c9622b}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--back:#0d1117;"
    "--line:#30363d;--bar:#539bf5;--mark:#e0823d}}"
    "body{font:14px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em;"
    "color:var(--ink);background:var(--back)}h1{font-size:1.5em;margin-bottom:0}"
    "h2{font-size:1.15em;margin:2em 0 .4em}p.when,p.means{color:var(--soft);margin:.2em 0}"
    ".facts{display:flex;flex-wrap:wrap;gap:.6em 2em;margin:1.2em 0;padding:0;list-style:none}"
    ".facts b{display:block;font-size:1.5em;line-height:1.2}"
    "figure{margin:1.4em 0}figcaption{font-weight:600}svg{width:100%;height:auto}"
    "svg text{font-size:11px;fill:var(--soft)}.grid{stroke:var(--line)}.bar{fill:var(--bar)}"
    ".mark{fill:var(--mark)}.wide{overflow-x:auto}table{border-collapse:collapse}"
    "td,th{padding:.2em .9em .2em 0;text-align:right;white-space:nowrap}"
    "td:first-child,th:first-child,td.text{text-align:left;overflow-wrap:anywhere;"
    "white-space:normal;min-width:9em;max-width:22em}"
    "th{border-bottom:1px solid var(--line);color:var(--soft);font-weight:600}"
    "tr.all td{border-top:1px solid var(--line);font-weight:600}"
    "@media print{:root{--ink:#000;--soft:#333;--back:#fff;--line:#999;--bar:#2f6fb5;"
    "--mark:#c9622b}body{max-width:none;margin:0}figure,tr{break-inside:avoid}"
    "thead{display:table-header-group}.wide{overflow:visible}}";

std::string cell(const std::string& text) { return "<td>" + escape_html(text) + "</td>"; }
std::string text_cell(const std::string& text) {
  return "<td class=\"text\">" + escape_html(text) + "</td>";
}

std::string table_of(const std::vector<std::string>& heads, const std::string& body) {
  std::string out = "<div class=\"wide\"><table><thead><tr>";
  for (const std::string& head : heads) {
    out += fmt::format("<th scope=\"col\">{}</th>", escape_html(head));
  }
  return out + "</tr></thead><tbody>\n" + body + "</tbody></table></div>\n";
}

std::string hours_text(const std::optional<double>& seconds) {
  return seconds ? report_amount(*seconds / 3600) : "-";
}
std::string vram_text(const std::optional<std::uint64_t>& bytes) {
  return bytes ? format_size(*bytes) : "-";
}

std::string use_cells(const wire::ReportRow& row) {
  return cell(report_count(row.jobs.is)) + cell(report_amount(row.gpu_seconds / 3600)) +
         cell(vram_text(row.asked_vram_bytes)) + cell(vram_text(row.used_vram_bytes)) +
         cell(report_percent(row.held_compute_percent)) +
         cell(report_percent(row.mean_busy_percent)) +
         cell(report_percent(report_time_percent(row))) + cell(hours_text(row.wasted_gpu_seconds));
}

std::string outcome_cells(const wire::ReportRow& row, bool costs) {
  std::string out;
  for (const auto which :
       {&wire::ReportWaits::median_s, &wire::ReportWaits::p90_s, &wire::ReportWaits::p99_s}) {
    out += cell(row.waits ? report_span((*row.waits).*which) : "-");
  }
  out += cell(report_count(row.moves.is));
  out += cell(row.energy_joules ? report_amount(*row.energy_joules / 3.6e6) : "-");
  if (costs) out += cell(row.cost ? fmt::format("{:.2f}", *row.cost) : "-");
  return out + text_cell(report_failures(row));
}

// A row for each, then one for all.
template <class Cells>
std::string rows_of(const wire::Report& report, Cells cells) {
  std::string body;
  std::size_t left = kTableRowsMost;
  for (const wire::ReportRow& row : report.rows) {
    if (left-- == 0) break;
    body += "<tr>" + text_cell(report_row_label(row)) + cells(row) + "</tr>\n";
  }
  return body + "<tr class=\"all\"><td>all</td>" + cells(report.total) + "</tr>\n";
}

std::string tables_of(const wire::Report& report) {
  std::string out = "<h2>Used against asked</h2>\n";
  out += table_of({report.by, "Jobs", "GPU-hours", "VRAM asked", "used", "Compute held", "used",
                   "Time used", "Waste (h)"},
                  rows_of(report, use_cells));
  out += fmt::format("<p class=\"means\">{}</p>\n", kWasteMeans);
  const bool costs = !report.currency.empty();
  std::vector<std::string> heads = {report.by, "Wait median", "p90", "p99", "Moves", "kWh"};
  if (costs) heads.push_back("Cost (" + harmless_text(report.currency) + ")");
  heads.emplace_back("Failures");
  out += "<h2>Waiting, failures, cost</h2>\n";
  out += table_of(heads, rows_of(report, [costs](const wire::ReportRow& row) {
                    return outcome_cells(row, costs);
                  }));
  out += fmt::format("<p class=\"means\">{}</p>\n", kWaitMeans);
  if (report.rows.size() > kTableRowsMost) {
    out += fmt::format("<p class=\"means\">and {} more</p>\n", report.rows.size() - kTableRowsMost);
  }
  return out;
}

std::string facts_of(const wire::Report& report) {
  const wire::ReportRow& all = report.total;
  std::string out = "<ul class=\"facts\">";
  const auto fact = [&out](const std::string& value, std::string_view what) {
    out += fmt::format("<li><b>{}</b>{}</li>", escape_html(value), what);
  };
  fact(report_amount(all.gpu_seconds / 3600), "GPU-hours");
  fact(report_count(all.jobs.is), "jobs");
  if (all.wasted_gpu_seconds) fact(hours_text(all.wasted_gpu_seconds), "GPU-hours wasted");
  if (all.waits) fact(report_span(all.waits->median_s), "median wait");
  if (all.energy_joules) fact(report_amount(*all.energy_joules / 3.6e6), "kWh");
  if (all.cost) fact(fmt::format("{:.2f} {}", *all.cost, harmless_text(report.currency)), "cost");
  return out + "</ul>\n";
}

// A bar for every day of the period, also for those on which nobody worked; days that are kept by
// month have their month's mean.
std::vector<PlotBar> bars_of_days(const wire::Report& report) {
  std::vector<PlotBar> bars;
  if (!report.days || report.days->empty()) return bars;
  std::map<std::string, double> hours;
  for (const wire::ReportDay& day : *report.days) {
    // Of a month by its first letters.
    hours[day.month ? day.day.substr(0, kLettersOfMonth) : day.day] += day.gpu_seconds / 3600;
  }
  const auto last = std::chrono::floor<std::chrono::days>(
      report.until.value_or(Wall{}).time_since_epoch() - Microseconds{1});
  auto at = std::chrono::floor<std::chrono::days>(report.since.value_or(Wall{}).time_since_epoch());
  if (!report.since || !report.until || last - at > kDaysDrawn) {
    for (const auto& [label, value] : hours) bars.push_back({.label = label, .value = value});
    return bars;
  }
  for (; at <= last; at += std::chrono::days{1}) {
    const Wall begin{std::chrono::duration_cast<Microseconds>(at)};
    const std::chrono::year_month_day date{std::chrono::sys_days{at}};
    const std::chrono::year_month_day_last end{date.year(), date.month() / std::chrono::last};
    const std::string day = format_time(begin).substr(0, kLettersOfDay);
    double value = hours.contains(day) ? hours.at(day) : 0;
    const auto month = hours.find(day.substr(0, kLettersOfMonth));
    if (month != hours.end()) value += month->second / static_cast<unsigned>(end.day());
    bars.push_back({.label = day, .value = value});
  }
  return bars;
}

std::string plots_of(const wire::Report& report) {
  std::string out;
  out += column_plot("GPU-hours by day", "GPU-hours", bars_of_days(report));
  std::vector<PlotBar> rows;
  for (const wire::ReportRow& row : report.rows) {
    if (rows.size() == kBarsMost || report.by == "hour") break;
    const double hours = row.gpu_seconds / 3600;
    const double wasted = row.wasted_gpu_seconds.value_or(0) / 3600;
    rows.push_back({.label = report_row_label(row),
                    .value = hours,
                    .marked = wasted,
                    .tip = fmt::format("{}: {} GPU-hours, {} wasted", report_row_label(row),
                                       report_amount(hours), report_amount(wasted))});
  }
  out += row_plot(fmt::format("GPU-hours by {}, wasted at the end of each bar", report.by), rows);
  std::vector<PlotBar> hours;
  if (report.hours) {
    for (std::size_t i = 0; i < report.hours->size(); ++i) {
      hours.push_back({.label = fmt::format("{:02}", i), .value = (*report.hours)[i] / 3600});
    }
  }
  return out + column_plot("GPU-hours by hour of the day (UTC)", "GPU-hours", hours);
}

std::string matrix_of(const wire::Report& report) {
  if (!report.waited_for || report.waited_for->empty()) return {};
  std::string body;
  std::size_t left = kPairsOfPage;
  for (const wire::ReportWaitedFor& pair : *report.waited_for) {
    if (left-- == 0) break;
    body += "<tr>" + text_cell(harmless_text(pair.tenant)) + text_cell(report_holder(pair.holder)) +
            cell(report_amount(pair.seconds / 3600)) + "</tr>\n";
  }
  return "<h2>Who waited for whom</h2>\n" +
         table_of({"Jobs of", "waited while cards were held by", "Hours"}, body) +
         fmt::format("<p class=\"means\">{}</p>\n", kWaitedForMeans);
}

std::string suggestions_of(const wire::Report& report) {
  if (!report.suggestions) return {};
  std::string out = "<h2>Suggestions</h2>\n";
  if (report.suggestions->empty()) {
    return out + "<p>None: no program asks for much more than it uses.</p>\n";
  }
  out += "<ul>";
  for (const wire::ReportSuggestion& one : *report.suggestions) {
    out += "<li>" + escape_html(harmless_text(one.text)) + "</li>\n";
  }
  return out + "</ul>\n";
}

}  // namespace

std::string report_page(const wire::Report& report) {
  const std::string period = report_period(report);
  const std::string title = "GPU work by " + report.by;
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}, {1}</title>\n<style>{2}</style></head><body>\n<h1>{0}</h1>\n"
      "<p class=\"when\">{1}</p>\n",
      escape_html(title), escape_html(period), kPageStyle);
  if (report.rows.empty()) return page + "<p>Nothing ran.</p>\n</body></html>\n";
  page += facts_of(report) + plots_of(report) + tables_of(report) + matrix_of(report) +
          suggestions_of(report);
  if (report.notes) {
    for (const std::string& note : *report.notes) {
      page += "<p class=\"means\">" + escape_html(harmless_text(note)) + "</p>\n";
    }
  }
  return page + "</body></html>\n";
}

}  // namespace gpusched::cli
