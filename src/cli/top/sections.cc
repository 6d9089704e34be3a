#include "cli/top/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/top/gauges.h"

namespace gpusched::cli::top {
namespace {

constexpr double kHot = 90;  // Percent: nearly full.
constexpr double kWarm = 60;

// Wider terminals get longer bars; the columns around them stay as they are.
struct GaugeWidths {
  std::size_t memory, load, curve;
};
GaugeWidths gauge_widths(std::size_t width) {
  if (width < 100) return {10, 6, 8};
  if (width < 160) return {16, 10, 20};
  return {24, 16, 48};
}

Style level_style(const std::optional<double>& percent) {
  if (!percent) return Style::kDim;
  if (*percent >= kHot) return Style::kRed;
  return *percent >= kWarm ? Style::kYellow : Style::kGreen;
}

std::optional<double> percent_used(const CardView& card) {
  const SampleView* seen = card.seen();
  if (seen == nullptr || !seen->used_bytes || card.vram_bytes == 0) return std::nullopt;
  return 100.0 * static_cast<double>(*seen->used_bytes) / static_cast<double>(card.vram_bytes);
}

// Percentages of a fixed width: columns that jump with every sample cannot be read.
std::string steady_percent(const std::optional<double>& percent) {
  return percent ? fmt::format("{:3.0f}%", *percent) : "   -";
}

std::string or_unknown(std::string text) { return text.empty() ? "-" : text; }

// The maker's name is the same on most machines, and the columns are few.
std::string short_model(const CardView& card) {
  constexpr std::string_view kMaker = "NVIDIA ";
  return card.model.starts_with(kMaker) ? card.model.substr(kMaker.size()) : card.model;
}

// A card that does not answer has no values to show; its line says why instead.
bool only_reason(const CardView& card) { return !card.ok() && card.seen() == nullptr; }

// "   1  NVIDIA H200  unknown: the driver has not answered for 2000 ms"
StyledLine reason_line(const CardView& card, std::size_t width) {
  const Style style = card.state == "asleep" ? Style::kDim : Style::kRed;
  const std::string state = card.state.empty() || card.state == "ok" ? "unusable" : card.state;
  const std::string why = card.reason.empty() ? state : fmt::format("{}: {}", state, card.reason);
  // Below its values, if it has any, the number and the model would only be said twice.
  const std::string who = card.seen() == nullptr
                              ? fmt::format("{:>4}  {}  ", card.number, escaped(short_model(card)))
                              : std::string(6, ' ');
  return {{cut(who, width)},
          {cut(escaped(why), width - std::min(width, display_width(who))), style}};
}

// Below a card: who is away from it, and who holds memory of it without using it.
std::vector<StyledLine> holder_lines(const CardView& card, std::size_t width, Wall now) {
  std::vector<StyledLine> lines;
  const auto add = [&](const std::string& text, Style style) {
    const std::string line = std::string(6, ' ') + escaped(text);
    lines.push_back({{cut(line, width), style}});
  };
  for (const AsideView& aside : card.aside) add("aside: " + aside_text(aside, now), Style::kCyan);
  for (const ProcessView& process : card.processes) {
    if (!process.job || !process.idle_since) continue;
    const Microseconds idle = std::max(now - *process.idle_since, Microseconds{0});
    add(fmt::format("idle: job {} has not used its {} for {}", *process.job,
                    process.vram_bytes ? format_size(*process.vram_bytes) : "memory",
                    format_duration(idle)),
        Style::kYellow);
  }
  return lines;
}

std::vector<Cell> card_cells(const State& state, const CardView& card, const GaugeWidths& widths) {
  const SampleView seen = card.seen() == nullptr ? SampleView{} : *card.seen();
  const auto history = state.load.find(card.number);
  return {
      {std::to_string(card.number)},
      {short_model(card)},
      {memory_bar(card, widths.memory), level_style(percent_used(card))},
      {used_of_total(seen.used_bytes, card.vram_bytes)},
      {load_bar(seen.busy_percent, widths.load), level_style(seen.busy_percent)},
      {steady_percent(seen.busy_percent)},
      {seen.temperature_c ? fmt::format("{:.0f}°C", *seen.temperature_c) : "-"},
      {seen.power_watts ? fmt::format("{:.0f} W", *seen.power_watts) : "-"},
      {history == state.load.end() ? "" : load_curve(history->second, widths.curve), Style::kCyan},
      {jobs_on(card)}};
}

std::string duration_since(const std::optional<Wall>& from, Wall now) {
  return from ? format_duration(std::max(now - *from, Microseconds{0})) : "-";
}

// What it may take on all its cards; words where it has them to itself.
std::string need_text(const JobView& job) {
  if (job.gpus.empty()) return !job.needs.wants_cards() ? "none" : "-";
  if (job.needs.vram_bytes == 0) return job.needs.share_percent > 0 ? "any" : "whole";
  return format_size(job.needs.vram_bytes * job.gpus.size());
}

Style use_style(const Use& use, const JobView& job) {
  const std::uint64_t need = job.needs.vram_bytes * job.gpus.size();
  return use.vram_bytes && need > 0 && *use.vram_bytes > need ? Style::kRed : Style::kPlain;
}

Style job_style(const std::string& state) {
  if (state == "running") return Style::kGreen;
  return state == "held" || state == "paused" ? Style::kCyan : Style::kYellow;
}

void fill(SectionLines& section, const Table& table, std::size_t width) {
  section.lines = table.lines(width);
  section.heading = std::move(section.lines.front());
  section.lines.erase(section.lines.begin());
}

}  // namespace

SectionLines card_lines(const State& state, std::size_t width, Wall now) {
  SectionLines section{.count = state.gpus.cards.size(), .one = "card", .many = "cards"};
  const GaugeWidths widths = gauge_widths(width);
  Table table({{"CARD", true},
               {"MODEL", false, 8, 3},
               {"MEMORY"},
               {"USED", true},
               {"LOAD"},
               {"", true, 0, 1},
               {"TEMP", true, 0, 4},
               {"POWER", true, 0, 5},
               {"HISTORY", false, 0, 2},
               {"JOBS", false, 4, 6}});
  for (const CardView& card : state.gpus.cards) {
    if (!only_reason(card)) table.add(card_cells(state, card, widths));
  }
  fill(section, table, width);
  std::vector<StyledLine> all;
  auto next = section.lines.begin();
  for (const CardView& card : state.gpus.cards) {
    if (!only_reason(card)) all.push_back(std::move(*next++));
    if (!card.ok()) all.push_back(reason_line(card, width));
    for (StyledLine& line : holder_lines(card, width, now)) all.push_back(std::move(line));
  }
  section.lines = std::move(all);
  return section;
}

SectionLines running_lines(const State& state, const Rows& rows, const Page& page) {
  SectionLines section{.count = rows.running.size(), .one = "running", .many = "running"};
  Table table({{"JOB", true},
               {"STATE", false, 0, 4},
               {"CARDS", false, 5},
               {"USED", true},
               {"NEED", true, 0, 2},
               {"LOAD", true},
               {"TIME", true, 0, 3},
               {"USER", false, 6},
               {"NAME", false, 8, 5},
               {"COMMAND", false, 14}});
  for (const JobView* job : rows.running) {
    const Use use = use_of(state, *job);
    table.add({{std::to_string(job->id)},
               {job->state, job_style(job->state)},
               {job->needs.wants_cards() ? or_unknown(cards_text(*job)) : "none"},
               {or_unknown(size_text(use.vram_bytes)), use_style(use, *job)},
               {need_text(*job)},
               {steady_percent(use.busy_percent)},
               {duration_since(job->started_at, page.now)},
               {or_unknown(job->user)},
               {job->name},
               {job->command}});
    section.ids.push_back(id_of(*job));
  }
  fill(section, table, page.width);
  return section;
}

SectionLines sweep_lines(const Rows& rows, const Page& page) {
  SectionLines section{.count = rows.sweeps.size(), .one = "sweep", .many = "sweeps"};
  Table table({{"SWEEP", true},
               {"JOBS", false, 40},  // What one looks for: the last to be cut.
               {"PRI", true, 0, 5},
               {"CARDS", false, 0, 4},
               {"USER", false, 4, 1},
               {"NAME", false, 6, 2},
               {"COMMAND", false, 12, 3},
               {"REASON", false, 24, 6}});
  for (const SweepView* sweep : rows.sweeps) {
    const Style style = sweep->counts.failed > 0 ? Style::kRed : Style::kPlain;
    table.add({{std::to_string(sweep->id)},
               {cli::counts_text(sweep->counts), style},
               {std::to_string(sweep->priority)},
               {fmt::format("{}", fmt::join(sweep->cards, ","))},
               {or_unknown(sweep->user)},
               {sweep->name},
               {sweep->command},
               {sweep->reason}});
    section.ids.push_back(id_of(*sweep));
  }
  fill(section, table, page.width);
  return section;
}

SectionLines foreign_lines(const Rows& rows, const Page& page) {
  SectionLines section{
      .count = rows.foreign.size(), .one = "process of others", .many = "processes of others"};
  Table table({{"PID", true},
               {"CARD", true},
               {"USED", true},
               {"LOAD", true},
               {"SINCE", true, 0, 2},
               {"IDLE", true, 0, 1},
               {"USER", false, 4},
               {"CONTAINER", false, 0, 3},
               {"COMMAND", false, 12}});
  for (const ForeignProcess& row : rows.foreign) {
    const ProcessView& process = *row.process;
    table.add(
        {{std::to_string(process.pid)},
         {std::to_string(row.card)},
         {or_unknown(size_text(process.vram_bytes))},
         {steady_percent(process.busy_percent)},
         {duration_since(process.started_at, page.now)},
         {process.idle_since ? duration_since(process.idle_since, page.now) : "", Style::kYellow},
         {or_unknown(process.user)},
         {process.container},
         {or_unknown(process.command)}});
    section.ids.push_back(id_of(row));
  }
  fill(section, table, page.width);
  return section;
}

SectionLines waiting_lines(const State& state, const Rows& rows, const Page& page) {
  SectionLines section{.count = rows.waiting.size(), .one = "waiting", .many = "waiting"};
  // The daemon sends the first of a long queue; a filter sees only these.
  if (state.filter.empty()) {
    std::uint64_t all = state.jobs.counts.queued + state.jobs.counts.held;
    for (const SweepView& sweep : state.jobs.sweeps) all -= std::min(all, sweep.waiting());
    section.count = std::max<std::size_t>(section.count, all);
  }
  Table table({{"JOB", true},
               {"STATE", false, 0, 5},
               {"PRI", true, 0, 4},
               {"NEEDS", false, 0, 2},
               {"WAITED", true, 0, 3},
               {"USER", false, 4, 1},
               {"NAME", false, 6, 6},
               {"COMMAND", false, 12, 7},
               {"REASON", false, 34}});
  for (const JobView* job : rows.waiting) {
    table.add({{std::to_string(job->id)},
               {job->state, job_style(job->state)},
               {std::to_string(job->priority)},
               {needs_text(job->needs)},
               {duration_since(job->submitted_at, page.now)},
               {or_unknown(job->user)},
               {job->name},
               {job->command},
               {or_unknown(job->reason)}});
    section.ids.push_back(id_of(*job));
  }
  fill(section, table, page.width);
  return section;
}

}  // namespace gpusched::cli::top
