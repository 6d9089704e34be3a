// What cards did over time, as the API answers it and as lines of bars for a terminal.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/render/render.h"

namespace gpusched::cli {

using HistoryValues = std::vector<std::optional<double>>;

struct CardHistory {
  std::optional<int> number;  // Absent: no longer in the machine.
  std::string uuid;
  std::map<std::string, HistoryValues, std::less<>> series;

  const HistoryValues* find(std::string_view name) const;
};

struct HistoryView {
  std::optional<Wall> from;
  std::optional<Wall> to;
  std::int64_t step_s = 0;
  std::vector<CardHistory> cards;
};

Result<HistoryView> parse_history(std::string_view body);

// How many values fit beside each other.
std::size_t history_columns(const Page& page);
// One character per value, `top` being the highest of them; a blank where nothing is known.
std::string sparkline(const HistoryValues& values, double top, bool ascii);
std::string render_history(const HistoryView& view, const Page& page);

}  // namespace gpusched::cli
