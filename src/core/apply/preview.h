// `--dry-run`: what an event would answer, without doing it.
#pragma once

#include "core/model/event.h"
#include "core/state/state.h"

namespace gpusched {

// The answer that `event` would get now. Nothing changes.
Answer preview(const State& state, const Event& event, Now now);

}  // namespace gpusched
