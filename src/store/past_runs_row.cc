#include "store/past_runs_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {

namespace {

constexpr const char* kEndWords[] = {"completed", "cut", "out_of_memory"};

// SQLite's integers have a sign, ours have none.
std::int64_t row_number(SignatureId id) { return static_cast<std::int64_t>(number_of(id)); }

std::optional<PastRun> run_from_text(std::string_view text) {
  PastRun run;
  std::uint64_t job = 0;
  if (!whole_number(take_until(text, '.'), job) ||
      !whole_number(take_until(text, ','), run.attempt.number)) {
    return std::nullopt;
  }
  run.attempt.job = JobId{job};
  const std::string_view end = take_until(text, ',');
  const auto word = std::ranges::find(kEndWords, end);
  if (word == std::end(kEndWords)) return std::nullopt;
  run.end = static_cast<RunEnd>(word - std::begin(kEndWords));
  if (!whole_number(take_until(text, ','), run.peak_vram_bytes)) return std::nullopt;
  const std::string_view load = take_until(text, ',');
  if (!load.empty() && !whole_number(load, run.load_percent.emplace())) return std::nullopt;
  std::int64_t duration = 0;
  if (!whole_number(text, duration)) return std::nullopt;
  run.duration = Microseconds{duration};
  return run;
}

}  // namespace

std::string past_runs_to_text(const std::vector<PastRun>& runs) {
  fmt::memory_buffer out;
  for (const PastRun& run : runs) {
    const std::string load = run.load_percent ? fmt::format("{:.1f}", *run.load_percent) : "";
    fmt::format_to(fmt::appender(out), "{}{}.{},{},{},{},{}", out.size() > 0 ? ";" : "",
                   number_of(run.attempt.job), run.attempt.number,
                   kEndWords[static_cast<std::size_t>(run.end)], run.peak_vram_bytes, load,
                   run.duration.count());
  }
  return fmt::to_string(out);
}

std::optional<std::vector<PastRun>> past_runs_from_text(std::string_view text) {
  std::vector<PastRun> runs;
  while (!text.empty()) {
    std::optional<PastRun> run = run_from_text(take_until(text, ';'));
    if (!run) return std::nullopt;
    runs.push_back(*run);
  }
  return runs;
}

Result<void> put_past_runs(Statement& put, const PastRuns& past) {
  return put.run(row_number(past.key.signature), past.key.model, past.tenant, past.command,
                 past.count, past.out_of_memory, past.last.time_since_epoch().count(),
                 past_runs_to_text(past.runs), past.refuses_moves ? 1 : 0);
}

Result<void> delete_past_runs(Statement& remove, const PastRunsKey& key) {
  return remove.run(row_number(key.signature), key.model);
}

std::optional<PastRuns> read_past_runs_row(const Statement& row) {
  PastRuns past;
  past.key = {SignatureId{static_cast<std::uint64_t>(row.integer(0))}, std::string(row.text(1))};
  past.tenant = row.text(2);
  past.command = row.text(3);
  past.count = static_cast<std::uint64_t>(row.integer(4));
  past.out_of_memory = static_cast<std::uint64_t>(row.integer(5));
  past.last = Wall(Microseconds(row.integer(6)));
  auto runs = past_runs_from_text(row.text(7));
  if (!runs) return std::nullopt;
  past.runs = std::move(*runs);
  past.refuses_moves = row.integer(8) != 0;
  return past;
}

}  // namespace gpusched
