// Process trees by looking into /proc: for machines where no control group may be written, and
// for what a dead shim left behind. Every function is a snapshot; callers repeat until nothing is
// left. Rule: never signal a process that is not proven to be the job's.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  bool zombie = false;
  bool stopped = false;
  Boot started{};
};
std::vector<ProcessEntry> list_processes();
// When a process was started, as the kernel writes it: in its ticks since boot.
Boot boot_of_ticks(std::uint64_t ticks);
std::optional<ProcessEntry> find_process(pid_t pid);

// Its real user; nullopt: there is no such process (any more).
std::optional<uid_t> user_of_process(pid_t pid);

// All living descendants of `root`, without itself.
std::vector<pid_t> descendants_of(pid_t root);
// Sends to each; returns how many there were.
std::size_t signal_descendants(pid_t root, int signal);

// The processes that wait for this signal: the command itself if it has a handler, else those of
// its descendants that have one and are nearest to it, else those among what `reaper` has inherited
// from it. Nobody who would die of the signal is among them.
std::vector<pid_t> nearest_that_catch(pid_t command, pid_t reaper, int signal);

// What a lost attempt left running: the members of its session, unless that number has been given
// to somebody else since, and processes whose environment names the attempt and its checkpoint
// directory (job numbers alone are not unique: another daemon has its own).
struct LostTree {
  AttemptId attempt;
  std::string checkpoint_directory;
  pid_t session = 0;       // 0: the command never got that far.
  Boot session_started{};  // When the command was started.
};
std::vector<pid_t> find_lost_tree(const LostTree& lost);

// The processes of a container: those in its control group, or below it. None if the container is
// older than `since` (the attempt only used it), if we are in it ourselves, or if it is the root.
std::vector<pid_t> find_container(const std::string& group, Boot since);

}  // namespace gpusched
