// `gpusched simulate` without its words: what is to be replayed and how, and what came out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/model/rules.h"
#include "replay/core_replay.h"
#include "replay/cost_model.h"
#include "replay/machine.h"
#include "replay/measures.h"
#include "replay/packing.h"
#include "replay/reference_replay.h"
#include "replay/trace.h"

namespace gpusched::replay {

enum class Format { kNative, kMuri, kTiresias, kPhilly, kOpenb };
enum class Counting { kNodes, kPool };

struct SimulateAsked {
  Format format = Format::kNative;
  std::string policy = "default";
  Machine machine;
  std::optional<CostKind> cost;      // Absent: what the format implies.
  std::optional<Counting> counting;  // Absent: what format and policy imply.
  Selection selection;
  std::vector<Microseconds> queues;  // Limits of `las`; empty: the published ones.
  double limit_factor = 0;           // Declared limits as a multiple of durations; 0: the trace's.
  bool no_limits = false;            // Nothing is declared.
  int seeds = 1;
  Rules rules = {};               // Of the default policy.
  std::optional<int> colocation;  // Percent that each further job on a card costs; absent: nothing.
  Weights weights = {};           // Of the default policy.
  Progress progress = nullptr;
  GiveUp give_up = {};
};

// The files' contents.
struct TraceText {
  std::string trace;
  std::optional<std::string> restart_costs;  // Of the trace, if they are beside it.
  std::string nodes;                         // For openb.
};

struct Simulated {
  Trace trace;
  Outcome outcome;
  Measures measures;
};
using SimulateResult = std::variant<Simulated, PackingResult>;

Result<SimulateResult> simulate(const SimulateAsked& asked, const TraceText& text);
// A trace that was read already; not for openb.
Result<Simulated> simulate_trace(const SimulateAsked& asked, Trace trace);

// Words of the command line; empty if there is no such word.
std::optional<Format> format_named(std::string_view name);
std::optional<CostKind> cost_named(std::string_view name);
const char* cost_name(CostKind kind);
// What is charged: asked, else implied by the format.
CostKind cost_of(const SimulateAsked& asked);
bool is_policy(std::string_view name, Format format);
// For people: those of the format, separated by commas.
std::string_view policy_names(Format format);

}  // namespace gpusched::replay
