// A machine's own past once more as it is set up now, and once more with something changed: other
// cards, another policy, without a tenant. Pure; the client and the daemon may ask it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "replay/past.h"
#include "replay/simulate.h"

namespace gpusched::replay {

struct WhatIf {
  Machine machine;  // As it is.
  Rules rules;
  Weights weights;
  // What would be different.
  std::vector<std::string> add_cards;  // "24G", "H100:80G"
  CardList remove_cards;
  std::string policy = "default";
  std::optional<int> cap_percent;  // Of the compute of a card that jobs share.
  std::string without_tenant;
  std::map<std::string, int> priority_of;  // By tenant.
  GiveUp give_up = {};

  bool changes_something() const;
};

// Refuses what makes no sense for this machine, before anything is read. The machine as it would
// be.
Result<Machine> changed_machine(const WhatIf& asked);

struct WhatIfDone {
  Past past;  // Of the jobs that were replayed.
  Simulated as_configured;
  // Of the same jobs without those of the tenant that is left out.
  Simulated would;
  std::vector<std::size_t> in_past;  // Of each job of `would`: its place in the past.
  std::size_t too_large = 0;         // Jobs that this machine, or the other one, could never run.
};
// The sentence for a tenant that has none.
std::string no_jobs_of(std::string_view field, const std::string& tenant);
// kConflict: no job is left to replay. kNotFound: a tenant that is named has none.
Result<WhatIfDone> replay_what_if(const WhatIf& asked, std::vector<PastJob> jobs);

// Before and between runs, as measure() counts it.
double wait_of(const Trace& trace, const Outcome& outcome, std::size_t job);

}  // namespace gpusched::replay
