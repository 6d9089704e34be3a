// Where a job goes: the cards and host resources it would get now, or nothing.
#pragma once

#include <optional>

#include "core/admit/tentative.h"
#include "core/backfill/backfill.h"
#include "core/model/tenant.h"
#include "core/state/state_view.h"

namespace gpusched {

// "pack", "spread", "round-robin".
const char* placement_name(Placement placement);
std::optional<Placement> placement_named(const std::string& name);

// By the rule of placement; gangs on linked cards where there are such.
// With a reservation, cards it needs are taken only where its own need still fits beside the job.
std::optional<Grant> place(const StateView& state, const Tentative& free, const Job& job,
                           const ReservedStart* reserved, Now now);

// Whether its grant counts for round-robin: leases that ask for it, jobs where that is the rule.
bool by_turns(const Rules& rules, const Job& job);

// Cards that match the constraints and have room now, the best first.
std::vector<std::size_t> fitting_cards(const StateView& state, const Tentative& free,
                                       const Needs& needs);

// The job did not find a place although quota_stop() lets it. The quota whose doing that is: there
// are cards enough for it, but not such as the tenant may have.
std::optional<QuotaStop> kept_off_by_quota(const StateView& state, const Tentative& free,
                                           const Job& job, Now now);

}  // namespace gpusched
