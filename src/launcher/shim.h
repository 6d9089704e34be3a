// A shim: the process that claims one attempt, starts its command and stays with it to the end.
// It is the launcher's binary going on after a fork, so that starting one costs no exec.
// Rule: nothing runs before the claim is won, and nothing is left running when `exit` is written.
#pragma once

#include <string>

#include "core/model/ids.h"
#include "os/fd.h"

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

struct SpareEntries;

// Waits for the byte that starts what was made ready. False: it is not to run.
bool wait_for_go(int go);

std::string leaf_path_of(const ShimSettings& settings, AttemptId attempt);

// Runs one attempt from claim to exit record. `order` as encode_order() made it. With `go`, all is
// made ready and then waits there: a byte starts it, the end of the other side ends it.
// `spare`: entries made beforehand; null: none.
void run_shim(const ShimSettings& settings, AttemptId attempt, const std::string& order, Fd go,
              SpareEntries* spare);

}  // namespace gpusched
