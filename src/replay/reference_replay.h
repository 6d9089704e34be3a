// Replays a trace under one of the reference policies (core/policy): arrivals, ends and what else
// a policy asks for, in order of virtual time, in integer microseconds.
#pragma once

#include <string_view>
#include <vector>

#include "core/policy/choose.h"
#include "replay/cost_model.h"
#include "replay/outcome.h"
#include "replay/trace.h"

namespace gpusched::replay {

enum class ReferencePolicy {
  kFifoStrict,
  kFifoGreedy,
  kSjf,
  kSrtf,
  kSrsf,
  kLas,
  kEasy,
  kTimeshare
};

struct ReferenceSettings {
  ReferencePolicy policy = ReferencePolicy::kFifoStrict;
  int nodes = 1;
  int cards_per_node = 8;
  policy::Fit fit = policy::Fit::kFirst;
  CostModel cost;
  std::vector<Microseconds> limits;  // Of attained card-time, for kLas.
  Progress progress = nullptr;
  GiveUp give_up = {};
};

// REQUIRES: every job fits on the empty machine. Given up it ends early.
Outcome replay_reference(const Trace& trace, const ReferenceSettings& settings);

}  // namespace gpusched::replay
