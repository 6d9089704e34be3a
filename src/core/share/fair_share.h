// Fair share: who has had less than is due. What is due follows from the weights of all tenants
// that have usage (state/usage.h) or demand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/state/usage.h"

namespace gpusched {

class StateView;

struct Share {
  const std::string* tenant = nullptr;
  double usage = 0;
  double due = 0;  // 0 to 1, of all that have usage or demand.
  double got = 0;
  bool demand = false;  // A job of it could start.
  bool below() const { return got < due; }
};
// Of every tenant that has usage or demand, by name.
std::vector<Share> shares_of(const StateView& state, Now now);

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
std::vector<ProjectShare> project_shares_of(const StateView& state, const std::string& tenant,
                                            Now now);
// For each queue, in the order of Pending::queues(), what is due to it before others: 0 or 1 if its
// tenant is below its share, else 2 or 3; the smaller if its project is below that of the tenant's.
using Standings = std::vector<std::int8_t>;
Standings standings_of(const StateView& state, Now now);

}  // namespace gpusched
