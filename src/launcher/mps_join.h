// A shim's way to the MPS server of its job's user and card: finds it or has it made, waits until
// it serves, and holds it for as long as the shim lives.
#pragma once

#include <optional>
#include <string>

#include "engine/launcher.h"
#include "jobdir/mps_place.h"
#include "launcher/shim_settings.h"

namespace gpusched {

struct JoinedMps {
  std::optional<MpsPlace> place;  // Absent: there is no server for it.
  std::string problem;            // Why.
};
// REQUIRES: order.mps. Takes as long as a server takes to start, and never longer than a deadline.
JoinedMps join_mps(const ShimSettings& settings, const LaunchOrder& order);

// The job is over: somebody must be there to stop the server.
void leave_mps(const ShimSettings& settings, const MpsPlace& place);

}  // namespace gpusched
