#include "cli/views/report_view.h"
#include "cli/views/view_reader.h"
#include "report/report_figures.h"

namespace gpusched::cli {
namespace {

std::string who_of(const wire::ReportRow& row) {
  if (row.others) return "(others)";
  if (row.card && *row.card) return std::to_string(**row.card);
  return row.user ? *row.user : report_row_label(row);
}

ReportRow view_of(const wire::ReportRow& row) {
  return {.who = who_of(row),
          .model = row.model.value_or(""),
          .jobs = row.jobs.is,
          .running = row.running.is,
          .moves = row.moves.is,
          .aside_seconds = row.aside_seconds,
          .gpu_seconds = row.gpu_seconds,
          .asked_vram_bytes = row.asked_vram_bytes,
          .peak_vram_bytes = row.peak_vram_bytes,
          .peak_of_asked_percent = row.peak_of_asked_percent,
          .mean_busy_percent = row.mean_busy_percent,
          .energy_joules = row.energy_joules};
}

}  // namespace

ReportView view_of_report(const wire::Report& report) {
  ReportView view{.by = report.by, .period = report_period(report), .total = view_of(report.total)};
  for (const wire::ReportRow& row : report.rows) view.rows.push_back(view_of(row));
  return view;
}

Result<ReportView> parse_report(std::string_view body) {
  const auto answer = parse_message<wire::Report>(body);
  if (!answer) return failure(answer.error());
  return view_of_report(*answer);
}

}  // namespace gpusched::cli
