// The answer of GET /v1/report as plain structs, and its table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/render/render.h"
#include "wire/messages/report.h"

namespace gpusched::cli {

// What is absent was never seen.
struct ReportRow {
  std::string who;    // A user, the number of a card, or what else the report is by.
  std::string model;  // Of a card.
  double jobs = 0;    // By card with parts: half of a job on two cards.
  double running = 0;
  double moves = 0;          // How often its jobs were moved aside,
  double aside_seconds = 0;  // and for how long, on all their cards.
  double gpu_seconds = 0;
  std::optional<std::uint64_t> asked_vram_bytes, peak_vram_bytes;
  std::optional<double> peak_of_asked_percent;
  std::optional<double> mean_busy_percent;
  std::optional<double> energy_joules;
};

struct ReportView {
  std::string by;
  std::string period;  // In words.
  std::vector<ReportRow> rows;
  ReportRow total;
};

ReportView view_of_report(const wire::Report& report);
Result<ReportView> parse_report(std::string_view body);
std::string render_report(const ReportView& view, const Page& page);

}  // namespace gpusched::cli
