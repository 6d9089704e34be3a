// A workload replayed through the same core in virtual time: what would have started when, and
// what people would have waited. First form: a small CSV file and the default policy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/card.h"
#include "core/needs.h"
#include "core/rules.h"

namespace gpusched {

struct WorkloadJob {
  double submit_s = 0;
  double duration_s = 0;
  Needs needs;
  int priority = 50;
  double time_limit_s = 0;  // 0: none declared.
  std::string user = "user";
};

// Columns by name in the first line, in any order: submit_s, duration_s (both required), gpus,
// vram, share, cpus, mem, priority, time_limit_s, user. Errors begin with the line's number.
Result<std::vector<WorkloadJob>> parse_workload(std::string_view text);

struct MachineDescription {
  std::vector<Card> cards;
  HostCapacity host;
  Rules rules;
};

struct WorkloadResult {
  std::uint64_t jobs = 0;
  std::uint64_t timed_out = 0;  // Ended by their own limit.
  double average_completion_s = 0, median_completion_s = 0, p99_completion_s = 0;
  double average_wait_s = 0, longest_wait_s = 0;
  double makespan_s = 0;
  double card_use_percent = 0;  // Card-seconds held over card-seconds there were.
  std::uint64_t preemptions = 0;
};

Result<WorkloadResult> simulate(const std::vector<WorkloadJob>& workload,
                                const MachineDescription& machine);

}  // namespace gpusched
