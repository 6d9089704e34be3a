// Sweeps as one line each, and all about one of them.
#include <fmt/format.h>

#include <algorithm>

#include "cli/render/render.h"
#include "cli/render/sheet.h"
#include "cli/table.h"

namespace gpusched::cli {
namespace {

Style sweep_style(const SweepView& sweep) {
  if (sweep.counts.failed > 0) return Style::kRed;
  if (sweep.active() > 0) return Style::kGreen;
  return sweep.open() > 0 ? Style::kYellow : Style::kDim;
}

std::string card_numbers(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

}  // namespace

std::string counts_text(const CountsView& counts) {
  std::string text;
  const auto add = [&](std::uint64_t n, std::string_view word) {
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, word);
  };
  add(counts.completed, "ok");
  add(counts.failed, "failed");
  add(counts.cancelled, "cancelled");
  add(counts.starting + counts.running, "running");
  add(counts.paused, "paused");
  add(counts.queued, "waiting");
  add(counts.held, "held");
  return text;
}

std::string sweeps_table(const std::vector<SweepView>& sweeps, const Page& page) {
  Table table({{"SWEEP", true},
               {"JOBS", false, 40},  // What one looks for: the last to be cut.
               {"CARDS", false, 0, 4},
               {"USER", false, 4, 3},
               {"NAME", false, 6, 2},
               {"COMMAND", false, 12, 1},
               {"REASON", false, 24, 5}});
  for (const SweepView& sweep : sweeps) {
    table.add({{std::to_string(sweep.id)},
               {counts_text(sweep.counts), sweep_style(sweep)},
               {card_numbers(sweep.cards)},
               {sweep.user},
               {sweep.name},
               {sweep.command},
               {sweep.reason}});
  }
  return table.text(page.width, page.colour);
}

std::string render_folded(const FoldedJobs& listed, const Page& page) {
  std::string out;
  if (!listed.jobs.empty()) out = render_jobs(listed.jobs, page);
  if (listed.sweeps.empty()) return out;
  if (!out.empty()) out += "\n";
  return out + sweeps_table(listed.sweeps, page);
}

std::string render_sweep(const SweepView& sweep, const Page& page) {
  Sheet sheet(page);
  sheet.line("Sweep", fmt::format("{}: {}", sweep.id, counts_text(sweep.counts)));
  sheet.line("Jobs", sweep.first == sweep.last ? std::to_string(sweep.first)
                                               : fmt::format("{}-{}", sweep.first, sweep.last));
  sheet.line("Name", sweep.name);
  sheet.line("Command", sweep.command);
  sheet.line("Parameters", fmt::format("{}", fmt::join(sweep.parameters, ", ")));
  sheet.line("User", sweep.user);
  sheet.line("Group", sweep.group);
  sheet.line("Priority", std::to_string(sweep.priority));
  sheet.line("Cards", card_numbers(sweep.cards));
  sheet.time("Submitted", sweep.submitted_at);
  sheet.line("Reason", sweep.reason);
  sheet.line("Its jobs", fmt::format("gpusched sweep {}", sweep.id));
  return sheet.take();
}

}  // namespace gpusched::cli
