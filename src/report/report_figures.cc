#include "report/report_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace gpusched {

std::string harmless_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // Those of Latin-1 are two bytes in UTF-8.
    const bool wide = c == 0xC2 && i + 1 < text.size() &&
                      static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                      static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (wide) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    } else if (c < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out += text[i];
    }
  }
  return is_utf8(out) ? out : fmt::format("(not UTF-8, {} bytes)", text.size());
}

std::string report_period(const wire::Report& report) {
  const auto minute = [](const std::optional<Wall>& at, const char* otherwise) {
    if (!at) return std::string(otherwise);
    std::string text = format_time(*at).substr(0, 16);
    std::ranges::replace(text, 'T', ' ');
    return text;
  };
  return minute(report.since, "the beginning") + " to " + minute(report.until, "now") + ", UTC";
}

std::string report_row_label(const wire::ReportRow& row) {
  if (row.others) return "(others)";
  if (row.hour) return fmt::format("{:02}:00", *row.hour);
  if (row.card && *row.card) return fmt::format("card {}", **row.card);
  for (const auto* word : {&row.user, &row.tenant, &row.project, &row.name, &row.program}) {
    if (!*word) continue;
    return (*word)->empty() ? "(none)" : harmless_text(**word);
  }
  return "none";  // No card.
}

std::string report_amount(double value) {
  if (value > 0 && value < 0.001) return "<0.001";
  if (value >= 100) return fmt::format("{:.0f}", value);
  return value >= 1 || value == 0 ? fmt::format("{:.1f}", value) : fmt::format("{:.3f}", value);
}

std::string report_count(double count) {
  const double whole = std::round(count);
  return std::abs(count - whole) < 0.005 ? fmt::format("{:.0f}", whole)
                                         : fmt::format("{:.2f}", count);
}

std::string report_span(double seconds) {
  if (seconds < 1) return "<1s";
  return format_duration(Seconds{static_cast<std::int64_t>(std::llround(seconds))});
}

std::string report_percent(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.0f}%", *percent) : "-";
}

std::string report_holder(const std::string& holder) {
  return holder.empty() ? "(nobody)" : harmless_text(holder);
}

std::string report_failures(const wire::ReportRow& row) {
  std::string out;
  if (!row.failures) return out;
  for (const wire::ReportFailures& one : *row.failures) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", harmless_text(one.cause), report_count(one.attempts.is));
  }
  return out;
}

std::optional<double> report_time_percent(const wire::ReportRow& row) {
  if (!row.time_limit_seconds || !row.time_used_seconds || *row.time_limit_seconds <= 0) {
    return std::nullopt;
  }
  return 100 * *row.time_used_seconds / *row.time_limit_seconds;
}

}  // namespace gpusched
