// Tables of jobs: the overview and the list.
#include <fmt/format.h>

#include <algorithm>

#include "cli/render/render.h"
#include "cli/table.h"

namespace gpusched::cli {
namespace {

Style state_style(const std::string& state) {
  if (state == "running" || state == "starting" || state == "resuming") return Style::kGreen;
  if (state == "failed") return Style::kRed;
  if (state == "queued") return Style::kYellow;
  if (state == "held" || state == "paused" || state == "pausing") return Style::kCyan;
  return Style::kDim;
}

Cell number(std::uint64_t value) { return {std::to_string(value)}; }
Cell priority(const JobView& job) { return {std::to_string(job.priority)}; }

// Array members are told apart by index or values where a name is the same for all of them.
std::string name_of(const JobView& job) {
  std::string name = job.name;
  if (!job.values.empty() && job.values.front().first != "line") {
    for (const auto& [key, value] : job.values) {
      name += fmt::format("{}{}={}", name.empty() ? "" : " ", key, value);
    }
  } else if (job.array_index && job.array) {
    name += fmt::format("[{}]", *job.array_index);
  }
  return name;
}

std::string running_table(const std::vector<JobView>& jobs, const Page& page) {
  Table table({{"ID", true},
               {"STATE"},
               {"PRI", true, 0, 5},
               {"CARDS"},
               {"TIME", true},
               {"USER", false, 4, 3},
               {"NAME", false, 6, 2},
               {"COMMAND", false, 12}});
  for (const JobView& job : jobs) {
    table.add({number(job.id),
               {job.state, state_style(job.state)},
               priority(job),
               {job.gpus.empty() ? "-" : cards_text(job)},
               {elapsed_text(job, page)},
               {job.user},
               {name_of(job)},
               {job.command}});
  }
  return table.text(page.width, page.colour);
}

std::string waiting_table(const std::vector<JobView>& jobs, const Page& page) {
  Table table({{"ID", true},
               {"STATE", false, 0, 6},
               {"PRI", true, 0, 3},
               {"NEEDS", false, 0, 4},
               {"WAITED", true, 0, 5},
               {"USER", false, 4, 2},
               {"NAME", false, 6, 7},
               {"COMMAND", false, 12, 1},
               {"REASON", false, 34}});
  for (const JobView& job : jobs) {
    table.add({number(job.id),
               {job.state, state_style(job.state)},
               priority(job),
               {needs_text(job.needs)},
               {elapsed_text(job, page)},
               {job.user},
               {name_of(job)},
               {job.command},
               {job.reason}});
  }
  return table.text(page.width, page.colour);
}

std::string ended_table(const std::vector<JobView>& jobs, const Page& page) {
  Table table({{"ID", true},
               {"STATE"},
               {"RESULT"},
               {"TIME", true, 0, 4},
               {"ENDED", false, 0, 3},
               {"USER", false, 4, 2},
               {"NAME", false, 6, 1},
               {"COMMAND", false, 12}});
  for (const JobView& job : jobs) {
    table.add({number(job.id),
               {job.state, state_style(job.state)},
               {outcome_text(job)},
               {elapsed_text(job, page)},
               {job.ended_at ? local_time(*job.ended_at, page) : ""},
               {job.user},
               {name_of(job)},
               {job.command}});
  }
  return table.text(page.width, page.colour);
}

std::string counts_line(const CountsView& counts) {
  std::string line =
      fmt::format("{} running, {} waiting", counts.running + counts.starting, counts.queued);
  if (counts.paused > 0) line += fmt::format(", {} paused", counts.paused);
  if (counts.held > 0) line += fmt::format(", {} held", counts.held);
  if (counts.completed > 0) line += fmt::format(", {} completed", counts.completed);
  if (counts.failed > 0) line += fmt::format(", {} failed", counts.failed);
  if (counts.cancelled > 0) line += fmt::format(", {} cancelled", counts.cancelled);
  return line;
}

}  // namespace

std::string render_overview(const OverviewView& view, const Page& page) {
  std::string out =
      styled(wrapped(counts_line(view.counts), page.width, 0), Style::kBold, page.colour) + "\n";
  for (const std::string& problem : view.problems) {
    out += styled(wrapped("! " + escaped(problem), page.width, 2), Style::kRed, page.colour) + "\n";
  }
  if (!view.running.empty()) out += "\n" + running_table(view.running, page);
  if (!view.sweeps.empty()) out += "\n" + sweeps_table(view.sweeps, page);
  if (!view.waiting.empty()) {
    out += "\n" + waiting_table(view.waiting, page);
    std::uint64_t in_sweeps = 0;
    for (const SweepView& sweep : view.sweeps) in_sweeps += sweep.waiting();
    std::uint64_t all = view.counts.queued + view.counts.held;
    all -= std::min(all, in_sweeps);
    if (all > view.waiting.size()) {
      out += styled(fmt::format("and {} more: gpusched status --state waiting",
                                all - view.waiting.size()),
                    Style::kDim, page.colour) +
             "\n";
    }
  }
  if (!view.recent.empty()) out += "\n" + ended_table(view.recent, page);
  return out;
}

std::string render_jobs(const std::vector<JobView>& jobs, const Page& page) {
  Table table({{"ID", true},
               {"STATE"},
               {"PRI", true, 0, 8},
               {"CARDS", false, 0, 2},
               {"NEEDS", false, 0, 7},
               {"TIME", true, 0, 3},
               {"USER", false, 4, 4},
               {"NAME", false, 6, 5},
               {"COMMAND", false, 12},
               {"RESULT", false, 0, 1},
               {"WHY", false, 16, 6}});
  for (const JobView& job : jobs) {
    const std::string& why = job.waiting() ? job.reason : job.message;
    table.add({number(job.id),
               {job.state, state_style(job.state)},
               priority(job),
               {cards_text(job)},
               {needs_text(job.needs)},
               {elapsed_text(job, page)},
               {job.user},
               {name_of(job)},
               {job.command},
               {outcome_text(job)},
               {why}});
  }
  return table.text(page.width, page.colour);
}

}  // namespace gpusched::cli
