#include "cli/top/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace gpusched::cli::top {
namespace {

bool contains(std::string_view text, const std::string& wanted) {
  return lower_case(text).find(wanted) != std::string::npos;
}

bool matches(const JobView& job, const std::string& wanted) {
  return contains(fmt::format("{} {} {} {} {} {}", job.id, job.state, job.user, job.name,
                              job.command, job.group),
                  wanted) ||
         std::ranges::any_of(job.tags,
                             [&](const std::string& tag) { return contains(tag, wanted); });
}

bool matches(const SweepView& sweep, const std::string& wanted) {
  return contains(
      fmt::format("{} {} {} {} {}", sweep.id, sweep.user, sweep.name, sweep.command, sweep.group),
      wanted);
}

bool matches(const ProcessView& process, const std::string& wanted) {
  return contains(
      fmt::format("{} {} {} {}", process.pid, process.user, process.command, process.container),
      wanted);
}

// What a line is sorted by: larger numbers first, then texts in their order. Unknown comes last.
struct SortKey {
  double number = -1;
  std::string text;
};

double age_of(const std::optional<Wall>& from) {
  return from ? -static_cast<double>(from->time_since_epoch().count()) : -1e300;
}

double memory_of(const State& state, const JobView& job) {
  if (const auto used = use_of(state, job).vram_bytes) return static_cast<double>(*used);
  if (!job.waiting()) return -1;
  return static_cast<double>(job.needs.vram_bytes) *
         std::max(job.needs.gpus.all() ? 1 : job.needs.gpus.most, 1);
}

SortKey key_of(const State& state, const JobView& job) {
  switch (state.sort) {
    case SortBy::kOrder:
      return {};
    case SortBy::kMemory:
      return {memory_of(state, job), ""};
    case SortBy::kBusy:
      return {use_of(state, job).busy_percent.value_or(-1), ""};
    case SortBy::kTime:
      return {age_of(job.waiting() ? job.submitted_at : job.started_at), ""};
    case SortBy::kUser:
      return {0, job.user};
  }
  return {};
}

SortKey key_of(const State& state, const ForeignProcess& row) {
  const ProcessView& process = *row.process;
  switch (state.sort) {
    case SortBy::kOrder:  // Who holds most is asked for first.
    case SortBy::kMemory:
      return {process.vram_bytes ? static_cast<double>(*process.vram_bytes) : -1, ""};
    case SortBy::kBusy:
      return {process.busy_percent.value_or(-1), ""};
    case SortBy::kTime:
      return {age_of(process.started_at), ""};
    case SortBy::kUser:
      return {0, process.user};
  }
  return {};
}

SortKey key_of(const State& state, const JobView* job) { return key_of(state, *job); }

template <class Row>
void sort_rows(const State& state, std::vector<Row>& rows) {
  std::vector<std::pair<SortKey, Row>> keyed;
  for (const Row& row : rows) keyed.emplace_back(key_of(state, row), row);
  std::ranges::stable_sort(keyed, [](const auto& a, const auto& b) {
    if (a.first.number != b.first.number) return a.first.number > b.first.number;
    return a.first.text < b.first.text;
  });
  if (state.reversed) std::ranges::reverse(keyed);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = keyed[i].second;
}

template <class Number>
void add_to(std::optional<Number>& sum, const std::optional<Number>& part) {
  if (part) sum = sum.value_or(Number{}) + *part;
}

bool shows(const State& state, Section section) {
  return state.section == Section::kAll || state.section == section;
}

}  // namespace

Use use_of(const State& state, const JobView& job) {
  Use use;
  for (const CardView& card : state.gpus.cards) {
    if (card.seen() == nullptr) continue;
    for (const ProcessView& process : card.processes) {
      if (process.job != job.id) continue;
      add_to(use.vram_bytes, process.vram_bytes);
      add_to(use.busy_percent, process.busy_percent);
    }
  }
  return use;
}

Rows rows_of(const State& state) {
  const std::string wanted = lower_case(state.filter);
  Rows rows;
  for (const JobView& job : state.jobs.running) {
    if (matches(job, wanted)) rows.running.push_back(&job);
  }
  for (const JobView& job : state.jobs.waiting) {
    if (matches(job, wanted)) rows.waiting.push_back(&job);
  }
  for (const SweepView& sweep : state.jobs.sweeps) {
    // What has ended is not told here.
    if (sweep.open() > 0 && matches(sweep, wanted)) rows.sweeps.push_back(&sweep);
  }
  for (const CardView& card : state.gpus.cards) {
    for (const ProcessView& process : card.processes) {
      if (!process.job && matches(process, wanted)) rows.foreign.push_back({card.number, &process});
    }
  }
  sort_rows(state, rows.running);
  sort_rows(state, rows.foreign);
  sort_rows(state, rows.waiting);
  return rows;
}

RowId id_of(const JobView& job) { return {RowId::Kind::kJob, job.id, 0}; }

RowId id_of(const SweepView& sweep) { return {RowId::Kind::kSweep, sweep.id, 0}; }

RowId id_of(const ForeignProcess& row) {
  return {RowId::Kind::kProcess, static_cast<std::uint64_t>(row.process->pid), row.card};
}

std::vector<RowId> selectable(const State& state) {
  const Rows rows = rows_of(state);
  std::vector<RowId> ids;
  if (shows(state, Section::kRunning)) {
    for (const JobView* job : rows.running) ids.push_back(id_of(*job));
  }
  if (shows(state, Section::kSweeps)) {
    for (const SweepView* sweep : rows.sweeps) ids.push_back(id_of(*sweep));
  }
  if (shows(state, Section::kProcesses)) {
    for (const ForeignProcess& row : rows.foreign) ids.push_back(id_of(row));
  }
  if (shows(state, Section::kWaiting)) {
    for (const JobView* job : rows.waiting) ids.push_back(id_of(*job));
  }
  return ids;
}

void keep_selection(State& state) {
  // Who reads about one must not find another in its place.
  if (state.mode == Mode::kDetails) return;
  const std::vector<RowId> ids = selectable(state);
  const auto found = std::ranges::find(ids, state.selected);
  if (found != ids.end()) {
    state.selected_at = static_cast<std::size_t>(found - ids.begin());
  } else if (ids.empty()) {
    state.selected = {};
  } else {
    state.selected_at = std::min(state.selected_at, ids.size() - 1);
    state.selected = ids[state.selected_at];
  }
}

void move_selection(State& state, std::ptrdiff_t by) {
  keep_selection(state);
  const std::vector<RowId> ids = selectable(state);
  if (ids.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(ids.size()) - 1;
  const auto from = static_cast<std::ptrdiff_t>(state.selected_at);
  state.selected_at = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + by, 0, last));
  state.selected = ids[state.selected_at];
}

std::string_view word_of(SortBy sort) {
  switch (sort) {
    case SortBy::kOrder:
      return "";
    case SortBy::kMemory:
      return "memory";
    case SortBy::kBusy:
      return "load";
    case SortBy::kTime:
      return "time";
    case SortBy::kUser:
      return "user";
  }
  return "";
}

}  // namespace gpusched::cli::top
