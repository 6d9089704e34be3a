#include <fmt/format.h>

#include <vector>

#include "report/report_figures.h"
#include "report/report_text.h"

namespace gpusched {
namespace {

// A spreadsheet runs what begins like this.
bool begins_a_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

std::string text_field(std::string_view text) {
  std::string field = harmless_text(text);
  if (begins_a_formula(text)) field.insert(0, 1, '\'');
  if (field.find_first_of(",\"'\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

template <class T>
std::string number_field(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string row_line(const wire::ReportRow& row, const std::string& label) {
  const auto wait = [&row](double wire::ReportWaits::*which) {
    return row.waits ? fmt::format("{:.0f}", (*row.waits).*which) : std::string();
  };
  const std::vector<std::string> fields = {
      text_field(label),
      text_field(row.model.value_or("")),
      fmt::format("{}", row.jobs.is),
      row.attempts ? fmt::format("{}", row.attempts->is) : "",
      fmt::format("{}", row.running.is),
      fmt::format("{:.6f}", row.gpu_seconds / 3600),
      number_field(row.asked_vram_bytes),
      number_field(row.used_vram_bytes),
      number_field(row.peak_vram_bytes),
      number_field(row.held_compute_percent),
      number_field(row.mean_busy_percent),
      number_field(row.time_limit_seconds),
      number_field(row.time_used_seconds),
      row.wasted_gpu_seconds ? fmt::format("{:.6f}", *row.wasted_gpu_seconds / 3600) : "",
      wait(&wire::ReportWaits::mean_s),
      wait(&wire::ReportWaits::median_s),
      wait(&wire::ReportWaits::p90_s),
      wait(&wire::ReportWaits::p99_s),
      text_field(report_failures(row)),
      fmt::format("{}", row.moves.is),
      fmt::format("{}", row.aside_seconds),
      number_field(row.moved_bytes),
      row.energy_joules ? fmt::format("{:.6f}", *row.energy_joules / 3.6e6) : "",
      row.cost ? fmt::format("{:.2f}", *row.cost) : ""};
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::string report_csv(const wire::Report& report) {
  std::string out =
      report.by +
      ",model,jobs,attempts,running,gpu_hours,asked_vram_bytes,used_vram_bytes,peak_vram_bytes,"
      "held_compute_percent,used_compute_percent,time_limit_s,time_used_s,wasted_gpu_hours,"
      "wait_mean_s,wait_median_s,wait_p90_s,wait_p99_s,failures,moves,aside_s,moved_bytes,kwh,"
      "cost\n";
  for (const wire::ReportRow& row : report.rows) {
    // As it is called: what a label shows for people is for people.
    std::string label = report_row_label(row);
    for (const auto* word : {&row.user, &row.tenant, &row.project, &row.name, &row.program}) {
      if (*word) label = **word;
    }
    if (row.card && *row.card) label = std::to_string(**row.card);
    out += row_line(row, label);
  }
  return out + row_line(report.total, "(all)");
}

}  // namespace gpusched
