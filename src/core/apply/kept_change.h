// Keys of changes: was it done before, and what is kept of it now that it is done.
#pragma once

#include <cstddef>
#include <optional>

#include "core/model/audit.h"
#include "core/model/kept_change.h"
#include "core/state/state.h"

namespace gpusched {

// What a repeat is told; nothing: it is to be done.
std::optional<Answer> answer_before(const StateView& state, const Asked& asked, const Event& event,
                                    Now now);
// After the change. `over` false: this is the first slice of many. Forgets what the user has too
// much of.
void keep_change(State& state, const Asked& asked, const Event& event, const Answer& answer,
                 bool over, Now now);
// Those of all users that are too old.
void forget_old_changes(State& state, Now now);

std::size_t bytes_of(const KeptChange& change);

}  // namespace gpusched
