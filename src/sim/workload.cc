#include "sim/workload.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "base/text.h"

namespace gpusched {
namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    std::string_view cell = line.substr(0, comma);
    while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\r')) cell.remove_suffix(1);
    cells.push_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

Result<double> number_in(std::string_view cell) {
  double value = 0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (read.ec != std::errc{} || read.ptr != cell.data() + cell.size() || !std::isfinite(value) ||
      value < 0 || value > 1e12) {
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is not a number of zero or more", cell));
  }
  return value;
}

template <class T>
Result<void> store_number(std::string_view cell, double most, T& field) {
  const auto value = number_in(cell);
  if (!value) return failure(value.error());
  if (*value > most) {
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is more than {}", cell, most));
  }
  field = static_cast<T>(*value);
  return {};
}

Result<void> store_size(std::string_view cell, std::uint64_t& field) {
  const auto size = parse_size(cell);
  if (!size) return failure(size.error());
  field = *size;
  return {};
}

using Setter = Result<void> (*)(WorkloadJob&, std::string_view);

const std::map<std::string_view, Setter>& columns() {
  static const std::map<std::string_view, Setter> kColumns = {
      {"submit_s",
       [](WorkloadJob& job, std::string_view c) { return store_number(c, 1e12, job.submit_s); }},
      {"duration_s",
       [](WorkloadJob& job, std::string_view c) { return store_number(c, 1e12, job.duration_s); }},
      {"time_limit_s", [](WorkloadJob& job,
                          std::string_view c) { return store_number(c, 1e12, job.time_limit_s); }},
      {"priority",
       [](WorkloadJob& job, std::string_view c) { return store_number(c, 100, job.priority); }},
      {"share", [](WorkloadJob& job,
                   std::string_view c) { return store_number(c, 100, job.needs.share_percent); }},
      {"cpus",
       [](WorkloadJob& job, std::string_view c) { return store_number(c, 1e6, job.needs.cpus); }},
      {"gpus",
       [](WorkloadJob& job, std::string_view c) {
         auto stored = store_number(c, 1e6, job.needs.gpus.least);
         job.needs.gpus.most = job.needs.gpus.least;
         return stored;
       }},
      {"vram",
       [](WorkloadJob& job, std::string_view c) { return store_size(c, job.needs.vram_bytes); }},
      {"mem",
       [](WorkloadJob& job, std::string_view c) { return store_size(c, job.needs.ram_bytes); }},
      {"user",
       [](WorkloadJob& job, std::string_view c) -> Result<void> {
         job.user = c;
         return {};
       }},
  };
  return kColumns;
}

Result<std::vector<Setter>> read_head(std::string_view line) {
  std::vector<Setter> setters;
  bool submit = false;
  bool duration = false;
  for (const std::string_view name : cells_of(line)) {
    const auto column = columns().find(name);
    if (column == columns().end()) {
      return failure(ErrorCode::kInvalid, fmt::format("line 1: there is no column '{}'", name));
    }
    submit = submit || name == "submit_s";
    duration = duration || name == "duration_s";
    setters.push_back(column->second);
  }
  if (!submit || !duration) {
    return failure(ErrorCode::kInvalid, "line 1: the columns submit_s and duration_s are needed");
  }
  return setters;
}

Result<WorkloadJob> read_job(std::string_view line, const std::vector<Setter>& setters) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != setters.size()) {
    return failure(ErrorCode::kInvalid, fmt::format("{} cells where the first line has {}",
                                                    cells.size(), setters.size()));
  }
  WorkloadJob job;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty()) continue;
    if (auto stored = setters[i](job, cells[i]); !stored) return failure(stored.error());
  }
  if (job.needs.gpus.most == 0 && job.needs.cpus == 0) job.needs.cpus = 1;
  return job;
}

}  // namespace

Result<std::vector<WorkloadJob>> parse_workload(std::string_view text) {
  std::vector<WorkloadJob> jobs;
  std::optional<std::vector<Setter>> setters;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.empty() || line.front() == '#' || line == "\r") continue;
    if (!setters) {
      auto head = read_head(line);
      if (!head) return failure(head.error());
      setters = std::move(*head);
      continue;
    }
    auto job = read_job(line, *setters);
    if (!job) {
      return failure(ErrorCode::kInvalid, fmt::format("line {}: {}", number, job.error().message));
    }
    jobs.push_back(std::move(*job));
  }
  if (jobs.empty()) return failure(ErrorCode::kInvalid, "the workload has no jobs");
  return jobs;
}

}  // namespace gpusched
