// The quota of GPU-hours: who has used it up, and when a new day gives more.
#pragma once

#include <optional>

#include "core/model/tenant.h"
#include "core/state/pending.h"
#include "core/state/tenant_book.h"

namespace gpusched {

// Nullopt: something is left of it, or there is no such quota.
std::optional<QuotaStop> hours_stop(const TenantBook::Entry* entry, const TenantTerms& terms,
                                    Now now);
// When a new day may let a tenant go on that has used up its GPU-hours.
std::optional<Wall> next_quota_day(const TenantBook& tenants, const Pending& pending, Now now);

}  // namespace gpusched
