// Idle holders: jobs and leases that have VRAM and do not use it. Where the rules allow it they
// leave through the driver for whoever waits, and stay awake while they are aside, so that it can
// be seen when they want their cards again (docs/adr/0044). A call of theirs to the card does not
// return before they are back.
#pragma once

#include <string>

#include "core/state/state_view.h"

namespace gpusched {

// It holds VRAM and has not used its cards for as long as the rules bear.
bool sits_idle(const StateView& state, const Job& job, Now now);
// Why the process behind a granted lease cannot be moved; empty: it can. Its cards are another
// question.
std::string why_holder_stays(const StateView& state, const Job& lease);
// A lease that may leave its cards for somebody. Only while it sits idle, whatever its band.
bool is_movable_lease(const StateView& state, const Job& job, Now now);
// While it is aside its processes run: only their calls to the cards wait.
bool stays_awake(const Job& job);
// Aside, and nobody has missed its cards so far: those who wait go before it.
bool is_asleep(const RoomRules& rules, const Aside& aside);
// Its return is asked for: it waits for room alone.
void ask_back(Aside& aside);

}  // namespace gpusched
