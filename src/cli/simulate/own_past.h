// The machine as the daemon has it, and its own past, for replays.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "client/client.h"
#include "replay/history.h"
#include "replay/simulate.h"

namespace gpusched::cli {

// Its cards, all of them in service, its host and its rules.
Result<void> take_machine(const Client& client, replay::SimulateAsked& asked);
// Jobs that were submitted since then, and ran and ended.
Result<replay::Past> fetch_past(const Client& client, const replay::Machine& machine, Wall since);

}  // namespace gpusched::cli
