#include "replay/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "replay/core_replay.h"

namespace gpusched::replay {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 5> kFormats = {{
    {"native", Format::kNative},
    {"muri", Format::kMuri},
    {"tiresias", Format::kTiresias},
    {"philly", Format::kPhilly},
    {"openb", Format::kOpenb},
}};
constexpr std::array<std::pair<std::string_view, CostKind>, 4> kCosts = {{
    {"none", CostKind::kNone},
    {"honest", CostKind::kHonest},
    {"muri", CostKind::kMuri},
    {"helios", CostKind::kHelios},
}};
constexpr std::array<std::pair<std::string_view, ReferencePolicy>, 8> kPolicies = {{
    {"fifo-strict", ReferencePolicy::kFifoStrict},
    {"fifo-greedy", ReferencePolicy::kFifoGreedy},
    {"sjf", ReferencePolicy::kSjf},
    {"srtf", ReferencePolicy::kSrtf},
    {"srsf", ReferencePolicy::kSrsf},
    {"las", ReferencePolicy::kLas},
    {"easy", ReferencePolicy::kEasy},
    {"timeshare", ReferencePolicy::kTimeshare},
}};
constexpr std::array<std::pair<std::string_view, PackingPolicy>, 3> kPackings = {{
    {"random", PackingPolicy::kRandom},
    {"best-fit", PackingPolicy::kBestFit},
    {"fgd", PackingPolicy::kFgd},
}};

template <class Table>
auto look_up(const Table& table, std::string_view name)
    -> std::optional<typename Table::value_type::second_type> {
  const auto found = std::ranges::find(table, name, &Table::value_type::first);
  if (found == table.end()) return std::nullopt;
  return found->second;
}

Result<Trace> read_trace(const SimulateAsked& asked, const TraceText& text) {
  switch (asked.format) {
    case Format::kNative:
      return read_native(text.trace);
    case Format::kMuri:
      return read_muri(text.trace, cost_of(asked) == CostKind::kMuri);
    case Format::kTiresias:
      return read_tiresias(text.trace);
    case Format::kPhilly:
      return read_philly(text.trace, asked.selection);
    case Format::kOpenb:
      break;
  }
  return failure(ErrorCode::kInternal, "openb is a packing, not a trace of jobs");
}

Result<CostModel> cost_model_of(const SimulateAsked& asked, const TraceText& text) {
  CostModel model;
  model.kind = cost_of(asked);
  model.by_model = asked.format == Format::kMuri || model.kind == CostKind::kMuri;
  if (text.restart_costs) {
    auto costs = RestartCosts::parse(*text.restart_costs);
    if (!costs) return failure(costs.error().code, "restart costs: " + costs.error().message);
    model.costs = std::move(*costs);
  } else {
    model.costs = RestartCosts::built_in();
  }
  return model;
}

// The published semantics: Tiresias' simulator, and these two policies everywhere, count cards
// without regard to nodes.
Counting counting_of(const SimulateAsked& asked, ReferencePolicy policy) {
  if (asked.counting) return *asked.counting;
  const bool pool = asked.format == Format::kTiresias || policy == ReferencePolicy::kLas ||
                    policy == ReferencePolicy::kEasy;
  return pool ? Counting::kPool : Counting::kNodes;
}

Result<void> check_sizes(const Trace& trace, const Machine& machine) {
  for (const TraceJob& job : trace) {
    if (job.cards() <= machine.total()) continue;
    return failure(ErrorCode::kNeverFits,
                   fmt::format("line {}: the job asks for {} cards and the machine has {}; "
                               "--max-gpus {} leaves such jobs out",
                               job.line, job.cards(), machine.total(), machine.total()));
  }
  return {};
}

Result<Outcome> replay_one(const SimulateAsked& asked, const TraceText& text, Trace& trace) {
  if (asked.no_limits) {
    for (TraceJob& job : trace) job.time_limit = Microseconds{0};
  }
  if (asked.policy == "default") {
    return replay_core(trace, asked.machine,
                       {.rules = asked.rules,
                        .limit_factor = asked.limit_factor,
                        .colocation_percent = asked.colocation,
                        .weights = asked.weights,
                        .progress = asked.progress,
                        .give_up = asked.give_up});
  }
  if (auto checked = check_sizes(trace, asked.machine); !checked) return failure(checked.error());
  auto cost = cost_model_of(asked, text);
  if (!cost) return failure(cost.error());
  ReferenceSettings settings{.policy = *look_up(kPolicies, asked.policy), .cost = std::move(*cost)};
  const bool pool = counting_of(asked, settings.policy) == Counting::kPool;
  settings.nodes = pool ? 1 : asked.machine.nodes;
  settings.cards_per_node = pool ? asked.machine.total() : asked.machine.cards_per_node;
  settings.fit = asked.format == Format::kMuri ? policy::Fit::kFirst : policy::Fit::kBest;
  settings.limits = asked.queues;
  if (settings.limits.empty()) settings.limits = {Seconds{3250}, Seconds{7200}};
  settings.progress = asked.progress;
  settings.give_up = asked.give_up;
  Outcome outcome = replay_reference(trace, settings);
  if (asked.give_up && asked.give_up()) {
    return failure(ErrorCode::kTooLarge, "the replay was given up");
  }
  return outcome;
}

Result<Simulated> replayed(const SimulateAsked& asked, const TraceText& text, Trace trace) {
  Simulated done{.trace = std::move(trace), .outcome = {}, .measures = {}};
  auto outcome = replay_one(asked, text, done.trace);
  if (!outcome) return failure(outcome.error());
  done.outcome = std::move(*outcome);
  done.measures = measure(done.trace, done.outcome);
  return done;
}

Result<SimulateResult> simulate_packing(const SimulateAsked& asked, const TraceText& text) {
  auto trace = read_openb(text.trace, text.nodes);
  if (!trace) return failure(trace.error());
  return pack(*trace, {.policy = *look_up(kPackings, asked.policy),
                       .seeds = asked.seeds,
                       .progress = asked.progress});
}

}  // namespace

std::optional<Format> format_named(std::string_view name) { return look_up(kFormats, name); }
std::optional<CostKind> cost_named(std::string_view name) { return look_up(kCosts, name); }

const char* cost_name(CostKind kind) {
  return std::ranges::find(kCosts, kind, &std::pair<std::string_view, CostKind>::second)
      ->first.data();
}

CostKind cost_of(const SimulateAsked& asked) {
  if (asked.cost) return *asked.cost;
  if (asked.policy == "default" || asked.policy == "timeshare") return CostKind::kHonest;
  if (asked.format == Format::kMuri) return CostKind::kMuri;
  return asked.format == Format::kPhilly ? CostKind::kHelios : CostKind::kNone;
}

bool is_policy(std::string_view name, Format format) {
  if (format == Format::kOpenb) return look_up(kPackings, name).has_value();
  return name == "default" || look_up(kPolicies, name).has_value();
}

std::string_view policy_names(Format format) {
  return format == Format::kOpenb
             ? "random, best-fit, fgd"
             : "default, timeshare, fifo-strict, fifo-greedy, sjf, srtf, srsf, las, easy";
}

Result<SimulateResult> simulate(const SimulateAsked& asked, const TraceText& text) {
  if (asked.format == Format::kOpenb) return simulate_packing(asked, text);
  auto read = read_trace(asked, text);
  if (!read) return failure(read.error());
  auto trace = select(std::move(*read), asked.selection);
  if (!trace) return failure(trace.error());
  auto done = replayed(asked, text, std::move(*trace));
  if (!done) return failure(done.error());
  return std::move(*done);
}

Result<Simulated> simulate_trace(const SimulateAsked& asked, Trace trace) {
  return replayed(asked, {}, std::move(trace));
}

}  // namespace gpusched::replay
