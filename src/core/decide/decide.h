// The scheduling decision: one pure function from what is known to what to do. No clock, file,
// lock, log or random source is reachable from here, so the daemon, the simulator and every test
// run exactly the same code.
//
//   order (Pending) -> limits (group, array, quota) -> fit and place (admission, placement)
//                   -> or make room for it -> reserve for the first that does not fit
//                   -> go on behind it; who was moved aside returns before those of its band
//
// A turn looks at the first job of each shape, and at no more than Rules::shapes_scanned_most
// shapes: with more distinct needs than that in the queue, the rest waits for the next turn.
#pragma once

#include "core/admit/tentative.h"
#include "core/decide/decision.h"
#include "core/state/state_view.h"

namespace gpusched {

// What is left of the state's room for the waiting jobs of a band.
Tentative left_beside(const StateView& state, const std::vector<KeptPlace>& kept, int band);

Decided decide(const StateView& state, Now now);

// Decisions are re-checked against the state they are applied to: true if it still holds.
bool still_valid(const StateView& state, const Start& start, Now now);

}  // namespace gpusched
