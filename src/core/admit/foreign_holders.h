// Foreign processes that keep a card from a job.
#pragma once

#include <vector>

#include "core/model/reason.h"
#include "core/state/state_view.h"

namespace gpusched {

// Who is in the way on such a card and is no job: by what it computes where that is what is
// missing, else by what it holds. Most in the way first.
std::vector<ForeignHolder> foreign_holders(const StateView& state, const CardLack& lack, Now now);

// Most in the way first.
void sort_by_harm(std::vector<ForeignHolder>& holders);

}  // namespace gpusched
