// What a replay of the past says, as an answer: figures, waits, tenants, jobs, and what it cannot
// know. Pure, for a thread beside the loop.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "replay/what_if.h"

namespace gpusched {

// What was found when the jobs were collected, and what of them is shown to the one who asks.
struct WhatIfAbout {
  struct Shown {
    bool seen = true;         // Else it only counts.
    bool tenant_seen = true;  // Else it is one of others.
    std::string name;
  };
  std::unordered_map<std::uint64_t, Shown> shown;  // By the job's id.
  Wall asked_since{}, until{};
  bool is_part = false;   // There were more jobs than are replayed at once.
  bool only_own = false;  // Of what is not seen nothing is counted.
  std::uint64_t never_ran = 0;
  std::uint64_t ran_again = 0;  // Had more than one attempt.
};

// REQUIRES: there are jobs, and each has its entry in `shown`.
Result<std::string> what_if_json(const replay::WhatIf& asked, const WhatIfAbout& about,
                                 std::vector<replay::PastJob> jobs);

}  // namespace gpusched
