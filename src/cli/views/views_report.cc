#include "cli/views/report_view.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {
namespace {

ReportRow row_from(const Reader& json) {
  ReportRow row;
  json.text("user", row.who);
  std::optional<int> card;
  json.number("card", card);
  if (card) row.who = std::to_string(*card);
  if (!card && row.who.empty()) row.who = "none";
  json.text("model", row.model);
  json.number("jobs", row.jobs);
  json.number("running", row.running);
  json.number("moves", row.moves);
  json.number("aside_seconds", row.aside_seconds);
  json.number("gpu_seconds", row.gpu_seconds);
  json.number("asked_vram_bytes", row.asked_vram_bytes);
  json.number("peak_vram_bytes", row.peak_vram_bytes);
  json.number("peak_of_asked_percent", row.peak_of_asked_percent);
  json.number("mean_busy_percent", row.mean_busy_percent);
  json.number("energy_joules", row.energy_joules);
  return row;
}

}  // namespace

Result<ReportView> parse_report(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  ReportView view;
  json.text("by", view.by);
  json.time("since", view.since);
  json.each("rows", [&](const JsonValue& row) { view.rows.push_back(row_from(Reader(&row))); });
  view.total = row_from(json.inner("total"));
  return view;
}

}  // namespace gpusched::cli
