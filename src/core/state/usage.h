// What tenants use of the cards: GPU-seconds times the share of the card that was held, fading with
// a half-life. Pure arithmetic on values that TenantBook keeps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/card.h"
#include "core/model/job.h"
#include "core/model/tenant.h"

namespace gpusched {

// Less than this is nothing: it would only keep long-gone tenants in the reckoning.
inline constexpr double kNegligibleUsage = 1e-3;

// A rate of use in millionths of a card, whole numbers so that adding and taking away is exact.
using ChargeRate = std::int64_t;
inline constexpr double kChargesPerCard = 1e6;

// What a grant uses per second: of each card the larger of its shares of memory and of compute.
ChargeRate charge_rate_of(const Grant& grant, const std::vector<Card>& cards);

// How much of a usage is left after a time. A half-life of zero forgets everything at once.
double decay_over(Microseconds passed, Seconds half_life);
// Usage at `now`, with `rate` in force since it was last counted. Counting it in between changes
// nothing.
double usage_at(const TenantUsage& usage, ChargeRate rate, Now now, Seconds half_life);
// Counted up to `now`.
TenantUsage counted_up(TenantUsage usage, ChargeRate rate, Now now, Seconds half_life);
// After the machine was down: time went by, nothing ran.
TenantUsage after_reboot(TenantUsage usage, Now now, Seconds half_life);
// GPU-seconds of the quota's period so far.
double used_in_period(const TenantUsage& usage, ChargeRate rate, const GpuHours& hours, Now now);

// Under which name of the weights a job's project counts.
const std::string& counted_project(const ProjectWeights& weights, const std::string& project);
// What each counted project has used by `now`, with `rates` in force since it was last counted.
std::map<std::string, double> projects_at(const TenantUsage& usage, const ProjectWeights& weights,
                                          const std::map<std::string, ChargeRate>& rates, Now now,
                                          Seconds half_life);

}  // namespace gpusched
