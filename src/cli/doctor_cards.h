// What the drivers say about the cards, as findings. Pure: the look is given, so that golden files
// can pin every line.
#pragma once

#include <vector>

#include "cli/doctor.h"
#include "cli/local_look.h"

namespace gpusched::cli {

// Drivers first; then, if there are NVIDIA cards, one line for each of their settings. A look that
// failed, or that saw nothing, is a finding too.
std::vector<Finding> check_cards(const Result<LocalLook>& look);

}  // namespace gpusched::cli
