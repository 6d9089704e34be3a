// `--dry-run`: what an event would answer, without doing it.
#pragma once

#include "core/model/event.h"

namespace gpusched {

class StateView;

// The answer that `event` would get now. Nothing changes.
Answer preview(const StateView& state, const Event& event, Now now);

}  // namespace gpusched
