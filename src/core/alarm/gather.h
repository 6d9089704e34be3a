// What a state says for a look at the alarms. Never a walk over all jobs: cards, their processes,
// tenants, the first of the queue.
#pragma once

#include <string>
#include <vector>

#include "core/alarm/facts.h"
#include "core/model/group.h"
#include "core/state/state_view.h"

namespace gpusched {

// Puts into `facts` what follows from the state. Cards get their entries, in the state's order.
void gather_facts(const StateView& state, AlarmFacts& facts, Now now);

// "job 7 of ml1, job 9 of ml2 and 3 more".
std::string jobs_on(const StateView& state, CardNumber card);
std::vector<std::string> users_on(const StateView& state, CardNumber card);

// Adds what the trail of a turn says of jobs that ended.
void add_ended(const StateView& state, const std::vector<TrailEntry>& trail,
               std::vector<EndedFact>& ended);

}  // namespace gpusched
