// Quotas: what a tenant may hold at one time, and use over time. A quota is a reason why a job
// waits, never an error, and it stands in nobody else's way: decide() passes over what it stops.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/admit/tentative.h"
#include "core/model/tenant.h"
#include "core/state/state_view.h"

namespace gpusched {

// The quota that keeps the job, and with it its whole shape, from starting now, however many
// cards are free.
std::optional<QuotaStop> quota_stop(const StateView& state, const Tentative& free, const Job& job,
                                    Now now);
// True if no job of the tenant, or none that needs a card, could start instead of this one.
bool stops_all(const QuotaStop& stop);
bool stops_all_on_cards(const QuotaStop& stop);

// Leaves those of the cards, which come in order of preference, that the job may have.
void keep_within_quota(const StateView& state, const Tentative& free, const Job& job, Now now,
                       std::vector<std::size_t>& cards);
// True if the tenant stays within its quotas with this grant.
bool within_quota(const StateView& state, const Tentative& free, const Job& job, const Grant& grant,
                  Now now);
// The quota whose doing it is that `cards`, on which the job would fit, are not enough for it:
// there are enough of them, but not such as the tenant may have.
std::optional<QuotaStop> quota_against(const StateView& state, const Tentative& free,
                                       const Job& job, const Needs& needs,
                                       std::vector<std::size_t> cards, Now now);

}  // namespace gpusched
