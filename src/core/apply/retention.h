// Ended jobs are kept for a time and up to a number; then they go, a few per turn. Sums of work of
// days become those of months, and go in the end.
#pragma once

#include <optional>

#include "core/state/state_view.h"

namespace gpusched {

// When the next ended job is due to go; a time in the past: now.
std::optional<Wall> next_removal(const StateView& state);

// The same of sums of work.
std::optional<Wall> next_work_due(const StateView& state);
// The earlier of both.
std::optional<Wall> next_retention(const StateView& state);

}  // namespace gpusched
