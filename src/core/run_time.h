// How long a job runs from its start to its end, as far as anybody can tell: from what it says of
// its progress, else from past runs of its signature. Its time limit is another matter: that is the
// latest end, not the expected one.
#pragma once

#include <optional>

#include "core/state.h"

namespace gpusched {

std::optional<Microseconds> expected_run(const State& state, const Job& job);

}  // namespace gpusched
