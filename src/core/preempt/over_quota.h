// Tenants that hold more than their quota, because it was lowered while their jobs ran.
#pragma once

#include <string>
#include <vector>

#include "core/preempt/victim.h"
#include "core/state/state_view.h"

namespace gpusched {

// Plans for nobody in particular, one job per tenant; none unless the rules say so.
std::vector<Preempt> relieve_quotas(const StateView& state, Now now);
bool still_over_quota(const StateView& state, const Preempt& plan, Now now);

// What a tenant's jobs hold that are on their cards. What is away will want its place back.
TenantHolds holds_here(const StateView& state, const std::string& tenant);
// Of one that is aside: with it back its tenant would hold too much, where the rules look at that.
bool would_exceed_quota(const StateView& state, const Job& job);
bool exceeds_quota(const TenantHolds& holds, const TenantTerms& terms);

}  // namespace gpusched
