// Timeshare: inside a band those go first who have had least of the cards, without anybody knowing
// durations. Jobs that have had much are moved aside by checkpoint and return. Attained
// card-time is cut into a few wide levels, so that equals take their turns one after the other
// instead of pushing each other out; inside a level the oldest goes first.
#pragma once

#include <vector>

#include "core/policy/choose.h"

namespace gpusched::policy {

// 0 for a job that has had little; larger levels go later.
int timeshare_level(Microseconds attained, int cards);

// Puts the jobs into the order in which they deserve cards; a total order.
void timeshare_sort(std::vector<Contender*>& jobs);

// When a running job will reach its next level, from now; max(): none does. Nothing changes by
// itself before.
Microseconds timeshare_next(Order running);

}  // namespace gpusched::policy
