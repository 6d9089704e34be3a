// Replays a trace through the daemon's own core: State, apply, decide and accept, in virtual time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/rules.h"
#include "replay/machine.h"
#include "replay/outcome.h"
#include "replay/trace.h"

namespace gpusched::replay {

// Of tenants in the fair share; who is not named has 1.
using Weights = std::map<std::string, double>;

struct CoreSettings {
  Rules rules;
  // Declared time limit as a multiple of the true duration; 0: what the trace declares.
  double limit_factor = 0;
  // Jobs that share a card slow each other down (colocation.h): so many percent for each further
  // one. Absent: they do not.
  std::optional<int> colocation_percent = {};
  Weights weights = {};
  Progress progress = nullptr;
  GiveUp give_up = {};
};

// Which jobs of the trace could ever run on the machine.
std::vector<bool> can_run(const Trace& trace, const Machine& machine, const Rules& rules);

// An error if a job can never run on the machine.
Result<Outcome> replay_core(const Trace& trace, const Machine& machine,
                            const CoreSettings& settings);

}  // namespace gpusched::replay
