#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "cli/display.h"
#include "cli/views/history_view.h"

namespace gpusched::cli {
namespace {

constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> kAsciiBars = {"_", ".", "-", ":", "=", "+", "*", "#"};

constexpr std::size_t kPipeWidth = 80;
constexpr std::size_t kHistoryLabelWidth = 10;
constexpr std::size_t kFiguresWidth = 32;
constexpr std::size_t kColumnsLeast = 8;

std::string percent(double value) { return fmt::format("{:.0f}%", value); }
std::string watts(double value) { return fmt::format("{:.0f} W", value); }
std::string degrees(double value) { return fmt::format("{:.0f} C", value); }
std::string count(double value) { return fmt::format("{:.3g}", value); }
std::string bytes(double value) {
  return format_size(static_cast<std::uint64_t>(std::llround(std::max(0.0, value))));
}

struct Row {
  std::string_view label;
  std::string_view series;
  std::string_view highest;  // Series with the peaks, if there is one.
  double top;                // 0: the highest value of any card.
  std::string (*text)(double);
};
constexpr std::array kRows = {
    Row{"busy", "busy_percent", {}, 100, percent},
    Row{"SMs", "sm_active_percent", {}, 100, percent},
    Row{"memory", "used_bytes", "used_bytes_max", 0, bytes},
    Row{"power", "power_watts", "power_watts_max", 0, watts},
    Row{"heat", "temperature_c", "temperature_c_max", 100, degrees},
    Row{"jobs", "jobs", {}, 0, count},
    Row{"foreign", "foreign_processes", {}, 0, count},
};

std::optional<double> highest_of(const HistoryValues* values) {
  std::optional<double> highest;
  if (values == nullptr) return highest;
  for (const std::optional<double>& value : *values) {
    if (value && (!highest || *value > *highest)) highest = value;
  }
  return highest;
}

// Of every card, so that bars of one row can be compared.
double top_of(const HistoryView& view, const Row& row) {
  double top = row.top;
  for (const CardHistory& card : view.cards) {
    if (row.top == 0) top = std::max(top, highest_of(card.find(row.series)).value_or(0));
  }
  return top;
}

std::string figures(const CardHistory& card, const Row& row, const HistoryValues& values) {
  const auto highest = std::max(highest_of(&values), highest_of(card.find(row.highest)));
  // The last column may only just have begun.
  const std::optional<double> before = values.size() > 1 ? values[values.size() - 2] : std::nullopt;
  const std::optional<double> last = values.back() ? values.back() : before;
  return fmt::format("{}, at most {}", last ? row.text(*last) : "unknown", row.text(*highest));
}

std::string card_title(const CardHistory& card, const Page& page) {
  const std::string name =
      card.number ? fmt::format("Card {}", *card.number) : "A card that is gone";
  const std::string uuid = escaped(card.uuid);
  const std::string line = fmt::format("{}  {}", name, uuid);
  return styled(page.width == 0 ? line : cut(line, page.width), Style::kBold, page.colour) + "\n";
}

}  // namespace

std::size_t history_columns(const Page& page) {
  const std::size_t width = page.width == 0 ? kPipeWidth : page.width;
  return std::max(kColumnsLeast, width - std::min(width, kHistoryLabelWidth + kFiguresWidth));
}

std::string sparkline(const HistoryValues& values, double top, bool ascii) {
  std::string line;
  for (const std::optional<double>& value : values) {
    if (!value) {
      line += ' ';
      continue;
    }
    const double share = top > 0 ? std::clamp(*value / top, 0.0, 1.0) : 0;
    const auto level = std::min<std::size_t>(7, static_cast<std::size_t>(share * 8));
    line += (ascii ? kAsciiBars : kBars)[level];
  }
  return line;
}

std::string render_history(const HistoryView& view, const Page& page) {
  if (view.cards.empty()) return "Nothing is known of that time.\n";
  const std::size_t columns = history_columns(page);
  std::string out;
  if (view.from && view.to) {
    const std::string head =
        fmt::format("From {} to {}, {} to a column", local_time(*view.from, page),
                    local_time(*view.to, page), format_duration(Seconds{view.step_s}));
    out += wrapped(head, page.width, 0) + "\n";
  }
  for (const CardHistory& card : view.cards) {
    out += card_title(card, page);
    for (const Row& row : kRows) {
      const HistoryValues* all = card.find(row.series);
      if (!highest_of(all)) continue;
      // The newest are what one came for.
      const std::size_t skipped = all->size() - std::min(all->size(), columns);
      const HistoryValues shown(all->begin() + static_cast<std::ptrdiff_t>(skipped), all->end());
      if (!highest_of(&shown)) continue;
      const std::string bars = sparkline(shown, top_of(view, row), page.ascii);
      out += fmt::format("  {:<8}{}  {}\n", row.label, styled(bars, Style::kCyan, page.colour),
                         figures(card, row, shown));
    }
  }
  return out;
}

}  // namespace gpusched::cli
