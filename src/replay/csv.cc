#include "replay/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"

namespace gpusched::replay {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells = split(line, ',');
  for (std::string_view& cell : cells) cell = trimmed(cell);
  return cells;
}

std::string_view CsvReader::take_line() {
  while (!rest_.empty()) {
    const std::string_view line = take_until(rest_, '\n');
    ++line_;
    if (!line.empty() && line.front() != '#' && line != "\r") return line;
  }
  return {};
}

Result<CsvReader> CsvReader::open(std::string_view text, std::span<const std::string_view> columns,
                                  std::size_t optional) {
  CsvReader reader;
  reader.rest_ = text;
  const std::vector<std::string_view> head = cells_of(reader.take_line());
  reader.width_ = head.size();
  for (const std::string_view name : columns) {
    const auto found = std::ranges::find(head, name);
    const bool may_be_missing = reader.names_.size() + optional >= columns.size();
    if (found == head.end() && !may_be_missing) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("line {}: the column '{}' is missing",
                                 std::max<std::size_t>(1, reader.line_), name));
    }
    reader.names_.push_back(name);
    reader.place_.push_back(found == head.end() ? kMissing
                                                : static_cast<std::size_t>(found - head.begin()));
  }
  return reader;
}

tl::unexpected<Error> CsvReader::wrong(const std::string& why) const {
  return failure(ErrorCode::kInvalid, fmt::format("line {}: {}", line_, why));
}

Result<bool> CsvReader::next() {
  const std::string_view line = take_line();
  if (line.empty()) return false;
  cells_ = cells_of(line);
  if (cells_.size() != width_) {
    return wrong(fmt::format("{} cells where the first line has {}", cells_.size(), width_));
  }
  return true;
}

Result<std::int64_t> CsvReader::whole(std::size_t column, std::int64_t most) const {
  const auto value = number(column, static_cast<double>(most));
  if (!value) return failure(value.error());
  if (*value != std::floor(*value)) {
    return wrong(fmt::format("{}: '{}' is not a whole number", names_[column], text(column)));
  }
  return static_cast<std::int64_t>(*value);
}

Result<double> CsvReader::number(std::size_t column, double most) const {
  const std::string_view cell = text(column);
  double value = 0;
  if (!whole_number(cell, value) || !std::isfinite(value) || value < 0) {
    return wrong(fmt::format("{}: '{}' is not a number of zero or more", names_[column], cell));
  }
  if (value > most) {
    return wrong(fmt::format("{}: '{}' is more than {}", names_[column], cell, most));
  }
  return value;
}

}  // namespace gpusched::replay
