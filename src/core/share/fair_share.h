// Fair share: who has had less than is due. Usage is GPU-seconds times the share of the card that
// was held, and fades with a half-life; what is due follows from the weights of all tenants that
// have usage or demand. Pure arithmetic on values that TenantBook keeps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/card.h"
#include "core/model/job.h"
#include "core/model/tenant.h"

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

// The same among the projects of one tenant, by name; empty if it has no weights for them.
struct ProjectShare {
  std::string project;  // Empty: all that are not named.
  double weight = 1;
  double usage = 0;
  double due = 0;
  double got = 0;
  bool demand = false;
  bool below() const { return got < due; }
};
std::vector<ProjectShare> project_shares_of(const State& state, const std::string& tenant, Now now);
// Under which name of the weights a job's project counts.
const std::string& counted_project(const ProjectWeights& weights, const std::string& project);
// What each counted project has used by `now`, with `rates` in force since it was last counted.
std::map<std::string, double> projects_at(const TenantUsage& usage, const ProjectWeights& weights,
                                          const std::map<std::string, ChargeRate>& rates, Now now,
                                          Seconds half_life);

// For each queue, in the order of Pending::queues(), what is due to it before others: 0 or 1 if its
// tenant is below its share, else 2 or 3; the smaller if its project is below that of the tenant's.
using Standings = std::vector<std::int8_t>;
Standings standings_of(const State& state, Now now);

}  // namespace gpusched
