#include "cli/top/details.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/top/rows.h"

namespace gpusched::cli::top {
namespace {

constexpr std::size_t kDetailWidth = 12;

class Sheet {
 public:
  explicit Sheet(std::size_t width) : width_(width) {}
  // The value wrapped under itself; nothing for an empty one.
  void add(std::string_view label, const std::string& value) {
    if (value.empty()) return;
    const std::size_t room = width_ > kDetailWidth ? width_ - kDetailWidth : 1;
    std::string rest = wrapped(escaped(value), room, 0);
    std::string head = fmt::format("{:<{}}", label, kDetailWidth);
    while (true) {
      const std::size_t end = rest.find('\n');
      lines_.push_back({{head, Style::kDim}, {rest.substr(0, end)}});
      if (end == std::string::npos) return;
      rest.erase(0, end + 1);
      head.assign(kDetailWidth, ' ');
    }
  }
  std::vector<StyledLine> take() { return std::move(lines_); }

 private:
  std::size_t width_;
  std::vector<StyledLine> lines_;
};

std::string time_text(const std::optional<Wall>& at, const Page& page) {
  if (!at) return "";
  const Microseconds ago = std::max(page.now - *at, Microseconds{0});
  return fmt::format("{}, {} ago", local_time(*at, page), format_duration(ago));
}

void add_job(Sheet& sheet, const State& state, const JobView& job, const Page& page) {
  const Use use = use_of(state, job);
  sheet.add("job", fmt::format("{} {}", job.id, job.name));
  sheet.add("state", job.state);
  sheet.add("reason", job.reason);
  sheet.add("user", job.user);
  sheet.add("group", job.group);
  sheet.add("tags", fmt::format("{}", fmt::join(job.tags, ", ")));
  sheet.add("priority", std::to_string(job.priority));
  sheet.add("needs", needs_text(job.needs));
  sheet.add("cards", cards_text(job));
  sheet.add("uses", size_text(use.vram_bytes));
  sheet.add("load", percent_text(use.busy_percent));
  sheet.add("submitted", time_text(job.submitted_at, page));
  sheet.add("started", time_text(job.started_at, page));
  const std::string unknown = job.start_unknown.empty() ? "" : "unknown: " + job.start_unknown;
  sheet.add("may start", job.estimated_start ? local_time(*job.estimated_start, page) : unknown);
  sheet.add("command", job.command);
}

void add_sweep(Sheet& sheet, const SweepView& sweep, const Page& page) {
  sheet.add("sweep", fmt::format("{} {}", sweep.id, sweep.name));
  sheet.add("jobs", fmt::format("{}-{}: {}", sweep.first, sweep.last, counts_text(sweep.counts)));
  sheet.add("reason", sweep.reason);
  sheet.add("user", sweep.user);
  sheet.add("group", sweep.group);
  sheet.add("priority", std::to_string(sweep.priority));
  sheet.add("cards", fmt::format("{}", fmt::join(sweep.cards, ",")));
  sheet.add("parameters", fmt::format("{}", fmt::join(sweep.parameters, ", ")));
  sheet.add("submitted", time_text(sweep.submitted_at, page));
  sheet.add("command", sweep.command);
  sheet.add("all of it", fmt::format("gpusched sweep {}", sweep.id));
}

void add_process(Sheet& sheet, int card, const ProcessView& process, const Page& page) {
  sheet.add("process", std::to_string(process.pid));
  sheet.add("card", std::to_string(card));
  sheet.add("user", process.user);
  sheet.add("container", process.container);
  sheet.add("uses", size_text(process.vram_bytes));
  sheet.add("load", percent_text(process.busy_percent));
  sheet.add("started", time_text(process.started_at, page));
  sheet.add("idle since", time_text(process.idle_since, page));
  sheet.add("command", process.command);
}

}  // namespace

std::vector<StyledLine> detail_lines(const State& state, std::size_t width, const Page& page) {
  Sheet sheet(width);
  if (state.selected.kind == RowId::Kind::kJob) {
    const JobView* job = find_job(state, state.selected.number);
    if (job != nullptr) add_job(sheet, state, *job, page);
  }
  if (state.selected.kind == RowId::Kind::kSweep) {
    const SweepView* sweep = find_sweep(state, state.selected.number);
    if (sweep != nullptr) add_sweep(sheet, *sweep, page);
  }
  if (state.selected.kind == RowId::Kind::kProcess) {
    for (const ForeignProcess& row : rows_of(state).foreign) {
      if (id_of(row) == state.selected) add_process(sheet, row.card, *row.process, page);
    }
  }
  return sheet.take();
}

}  // namespace gpusched::cli::top
