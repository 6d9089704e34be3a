// What the drivers say about the cards, as findings. Pure: the look is given, so that golden files
// can pin every line.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/finding.h"
#include "cli/local_look.h"

namespace gpusched::cli {

// Drivers first; then, if there are NVIDIA cards, one line for each of their settings. A look that
// failed, or that saw nothing, is a finding too.
std::vector<Finding> check_cards(const Result<LocalLook>& look);

// Of NVIDIA's driver; empty: there is none, or it does not say.
std::string nvidia_driver_version(const LocalLook& look);
// By the version alone: only the sampler and the mover load driver libraries.
bool has_checkpoint_calls(const std::string& version);

}  // namespace gpusched::cli
