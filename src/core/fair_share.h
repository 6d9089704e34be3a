// Fair share: who has had less than is due. Usage is GPU-seconds times the share of the card that
// was held, and fades with a half-life; what is due follows from the weights of all tenants that
// have usage or demand. Pure arithmetic on values that TenantBook keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/card.h"
#include "core/job.h"
#include "core/tenant.h"

namespace gpusched {

class State;

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

struct Share {
  const std::string* tenant = nullptr;
  double usage = 0;
  double due = 0;  // 0 to 1, of all that have usage or demand.
  double got = 0;
  bool demand = false;  // A job of it could start.
  bool below() const { return got < due; }
};
// Of every tenant that has usage or demand, by name.
std::vector<Share> shares_of(const State& state, Now now);

// For each tenant in the queue, in the order of Pending::queues(): 0 below its share, 1 not.
using Standings = std::vector<std::int8_t>;
Standings standings_of(const State& state, Now now);

}  // namespace gpusched
