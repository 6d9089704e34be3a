// From a job that has been decided on to the order its shim gets: the command with its
// placeholders filled in and the variables that tell the job what it was given.
#pragma once

#include "core/state/state_view.h"
#include "engine/engine_options.h"
#include "engine/launcher.h"

namespace gpusched {

// REQUIRES: the job is starting.
// CPUs near its cards; empty: anywhere. Only where the node has as many as the job was given.
NearCpus near_of(const StateView& state, const Grant& grant, const EngineOptions& options);

LaunchOrder launch_order_of(const StateView& state, const Job& job, const EngineOptions& options);

// What tells a CUDA program which cards are meant; the same for jobs and for holders of leases.
std::vector<std::pair<std::string, std::string>> card_variables_of(const StateView& state,
                                                                   const Grant& grant,
                                                                   const EngineOptions& options);

}  // namespace gpusched
