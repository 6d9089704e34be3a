#include "cli/views/report_view.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {
namespace {

ReportRow view_of(wire::ReportRow row) {
  const std::optional<int> card = row.card.value_or(std::nullopt);
  return {.who = card ? std::to_string(*card) : std::move(row.user).value_or("none"),
          .model = std::move(row.model).value_or(""),
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

Result<ReportView> parse_report(std::string_view body) {
  auto answer = parse_message<wire::Report>(body);
  if (!answer) return failure(answer.error());
  ReportView view{.by = std::move(answer->by),
                  .since = answer->since,
                  .total = view_of(std::move(answer->total))};
  for (wire::ReportRow& row : answer->rows) view.rows.push_back(view_of(std::move(row)));
  return view;
}

}  // namespace gpusched::cli
