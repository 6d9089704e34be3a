// What every shim is told by the launcher.
#pragma once

#include <string>

#include "core/model/ids.h"

namespace gpusched {

// What the launcher has prepared once for all shims.
struct ShimSettings {
  std::string state_directory;
  std::string cgroup_base;  // Empty: none.
  std::string boot_id;
  std::string state_id;  // Of the state directory; empty: it has none.
  int jobs_fd = -1;      // STATE/jobs.
  int children_fd = -1;  // A signalfd for SIGCHLD; reads what is pending for whoever reads.
  int null_fd = -1;
  int report_fd = -1;  // To the daemon.
  bool reset_oom_score = false;
};

// The control group of an attempt.
std::string leaf_path_of(const ShimSettings& settings, AttemptId attempt);

}  // namespace gpusched
