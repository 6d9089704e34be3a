// Our own format: any of the columns that a job has, by name, in any order.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "replay/csv.h"
#include "replay/trace.h"

namespace gpusched::replay {
namespace {

Result<double> number_in(std::string_view cell) {
  double value = 0;
  if (!whole_number(cell, value) || !std::isfinite(value) || value < 0 || value > 1e12) {
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

Result<void> store_seconds(std::string_view cell, Microseconds& field) {
  double seconds = 0;
  auto stored = store_number(cell, 1e12, seconds);
  field = Microseconds{static_cast<Microseconds::rep>(std::llround(seconds * 1e6))};
  return stored;
}

Result<void> store_size(std::string_view cell, std::uint64_t& field) {
  const auto size = parse_size(cell);
  if (!size) return failure(size.error());
  field = *size;
  return {};
}

using NativeSetter = Result<void> (*)(TraceJob&, std::string_view);

const std::map<std::string_view, NativeSetter>& native_columns() {
  static const std::map<std::string_view, NativeSetter> kColumns = {
      {"submit_s", [](TraceJob& job, std::string_view c) { return store_seconds(c, job.submit); }},
      {"duration_s",
       [](TraceJob& job, std::string_view c) { return store_seconds(c, job.duration); }},
      {"time_limit_s",
       [](TraceJob& job, std::string_view c) { return store_seconds(c, job.time_limit); }},
      {"priority",
       [](TraceJob& job, std::string_view c) { return store_number(c, 100, job.priority); }},
      {"share", [](TraceJob& job,
                   std::string_view c) { return store_number(c, 100, job.needs.share_percent); }},
      {"cpus",
       [](TraceJob& job, std::string_view c) { return store_number(c, 1e6, job.needs.cpus); }},
      {"gpus",
       [](TraceJob& job, std::string_view c) {
         auto stored = store_number(c, 1e6, job.needs.gpus.least);
         job.needs.gpus.most = job.needs.gpus.least;
         return stored;
       }},
      {"vram",
       [](TraceJob& job, std::string_view c) { return store_size(c, job.needs.vram_bytes); }},
      {"mem", [](TraceJob& job, std::string_view c) { return store_size(c, job.needs.ram_bytes); }},
      {"user",
       [](TraceJob& job, std::string_view c) -> Result<void> {
         job.tenant = c;
         return {};
       }},
  };
  return kColumns;
}

Result<std::vector<NativeSetter>> read_native_head(std::string_view line) {
  std::vector<NativeSetter> setters;
  bool submit = false;
  bool duration = false;
  for (const std::string_view name : cells_of(line)) {
    const auto column = native_columns().find(name);
    if (column == native_columns().end()) {
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

Result<TraceJob> read_native_job(std::string_view line, const std::vector<NativeSetter>& setters) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != setters.size()) {
    return failure(ErrorCode::kInvalid, fmt::format("{} cells where the first line has {}",
                                                    cells.size(), setters.size()));
  }
  TraceJob job;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty()) continue;
    if (auto stored = setters[i](job, cells[i]); !stored) return failure(stored.error());
  }
  if (job.needs.gpus.most == 0 && job.needs.cpus == 0) job.needs.cpus = 1;
  return job;
}

}  // namespace

Result<Trace> read_native(std::string_view text) {
  Trace jobs;
  std::optional<std::vector<NativeSetter>> setters;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_until(text, '\n');
    if (line.empty() || line.front() == '#' || line == "\r") continue;
    if (!setters) {
      auto head = read_native_head(line);
      if (!head) return failure(head.error());
      setters = std::move(*head);
      continue;
    }
    auto job = read_native_job(line, *setters);
    if (!job) {
      return failure(ErrorCode::kInvalid, fmt::format("line {}: {}", number, job.error().message));
    }
    job->line = number;
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

}  // namespace gpusched::replay
