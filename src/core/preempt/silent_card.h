// Cards that say nothing at present, as all of them do after a restart, one after the other: they
// take no job, but what is there may be room in a moment. Nobody is moved aside for a job that may
// have its room then.
#pragma once

#include <cstddef>

#include "core/admit/tentative.h"
#include "core/state/state_view.h"

namespace gpusched {

// It is in service, and not known to be there: not heard of yet, or silent. One that fell off the
// bus has said so.
bool is_silent(const StateView& state, std::size_t card_index);
// With the cards that are silent, but have not been for long, the job would find room in `free`.
bool may_fit_where_it_is_silent(const StateView& state, const Tentative& free, const Job& job,
                                Now now);

}  // namespace gpusched
