// A submission as it was read: complete and valid by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "core/model/job.h"

namespace gpusched {

struct SubmitLimits {
  std::uint64_t tasks_most = 1'000'000;
  // What a body that does not say gets.
  Seconds grace{10};
  Seconds retry_back_off{5};
  std::string key = {};
};

struct SubmitBody {
  JobSpec spec;  // With its environment.
  int priority = 50;
  bool hold = false;
  bool array = false;                    // It was asked for as an array or sweep, even of one task.
  std::vector<SubmitAsked::Task> tasks;  // One, unnamed, for a single job.
  // Digest of what was asked. How the submitting process happened to look (environment, umask,
  // resource limits, terminal) is left out: a script run again from another shell repeats itself.
  std::string fingerprint;  // Only with a key.
};

}  // namespace gpusched
