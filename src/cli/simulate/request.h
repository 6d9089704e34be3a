// The flags of `gpusched simulate` as what is to be replayed.
#pragma once

#include "base/result.h"
#include "cli/flags.h"
#include "replay/simulate.h"

namespace gpusched::cli {

// Format, machine, selection, and all of read_replay_rules().
Result<replay::SimulateAsked> read_replay(const Arguments& arguments);
// Limits, queues, policy and costs; asked.format is known.
Result<void> read_replay_rules(const Arguments& arguments, replay::SimulateAsked& asked);

}  // namespace gpusched::cli
