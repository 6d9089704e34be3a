// The limits that keep a job from starting although there is room.
#pragma once

#include "core/admit/tentative.h"
#include "core/state/state_view.h"

namespace gpusched {

enum class Limited { kNo, kMachine, kGroup, kGroupPaused, kArray, kGuard, kQuota, kDisk };
Limited limited(const StateView& state, const Tentative& free, const Job& job, Now now);

}  // namespace gpusched
