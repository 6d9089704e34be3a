// Turning a forked process into the job's command: session, identity, limits, directory, files,
// exec, in this order, because from the moment of giving up its rights it may do only what the
// submitter may. Failures come back to the shim as one small report.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/launcher.h"
#include "jobdir/job_directory.h"
#include "os/fd.h"

namespace gpusched {

// Everything the new process needs, prepared before the fork.
struct CommandPlan {
  const CommandOrder* order = nullptr;
  std::vector<std::string> environment;
  bool change_user = false;
  std::vector<gid_t> groups;
  int null_fd = -1;
  int log_fd = -1;  // The log in the job directory; -1: the user chose a file.
  // With a terminal or pipes attached: what becomes 0, 1 and 2.
  int attached[3] = {-1, -1, -1};
  std::vector<int> near_cpus;  // Where it is to run; empty: anywhere.
  int leaf_fd = -1;            // The control group to be born in; -1: none.
  int wait_fd = -1;            // Where to wait for a byte before anything that others could see.
  int release_fd = -1;         // The other end, which the new process must not keep.
  bool reset_oom_score = false;
};

// Looks the submitter up where rights are to be given up. The error is for people.
Result<void> plan_identity(CommandPlan& plan);
// The submitter's variables, with ours in place of equal names.
std::vector<std::string> merged_environment(const CommandOrder& order);

struct StartedCommand {
  pid_t pid = -1;
  Fd report;  // Becomes readable with a CommandReport, or ends when exec has succeeded.
};
// kNotFound: its control group has been removed; kBusy: there is no process to be had.
Result<StartedCommand> start_command(const CommandPlan& plan);

// What the new process says before exec. `opened` comes with user-chosen files; with an attached
// job their descriptors come along, then those for reading what was written, as far as the user
// may.
struct CommandReport {
  enum class Step : int {
    kOpened,
    kSession,
    kIdentity,
    kDirectory,
    kOutput,
    kError,
    kTerminal,
    kExec,
  };
  Step step = Step::kOpened;
  int error = 0;
  FileIdentity output;
  FileIdentity split_error;
  bool split = false;
  int readable = 0;                 // How many of the descriptors are for reading.
  std::uint64_t sizes[2] = {0, 0};  // Of those, before the command wrote to them.
};

struct LaunchProblem {
  std::string message;
  int exit_code = 126;  // 127: there is no such program.
};
LaunchProblem describe_problem(const CommandOrder& order, const CommandReport& report);

}  // namespace gpusched
