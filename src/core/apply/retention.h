// Ended jobs are kept for a time and up to a number; then they go, a few per turn.
#pragma once

#include <optional>

#include "core/state/state_view.h"

namespace gpusched {

// When the next ended job is due to go; a time in the past: now.
std::optional<Wall> next_removal(const StateView& state);

}  // namespace gpusched
