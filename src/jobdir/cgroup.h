// Control groups, version 2 only, also where that hierarchy has no controllers (hybrid machines).
//   BASE/daemon/        the daemon            BASE/shims/   launcher and shims
//   BASE/mps/NAME/      an MPS server (jobdir/mps_place.h)
//   BASE/jobs/ID.N/     one leaf per attempt: the command is born there, its shim never enters.
// BASE is what systemd delegated to us, or our own group at the top for root without delegation.
// Everything works without it, too: an empty base means sessions and sub-reapers instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/ids.h"
#include "os/fd.h"

namespace gpusched {

struct CgroupBase {
  std::string path;          // Empty: none.
  bool cpu_limits = false;   // Leaves have cpu.max.
  bool ram_limits = false;   // Leaves have memory.max and memory.events.
  bool vram_limits = false;  // Leaves have dmem.max.
  bool near_cpus = false;    // Leaves have cpuset.cpus and cpuset.mems.
  std::string explanation;   // One sentence for `doctor` and the log.
};

// Looks where the base would be; changes nothing.
CgroupBase find_cgroup_base(const std::string& state_directory);
// What an older version, which knew no ids, called the group of this directory, if it is there.
std::string earlier_group_name(const std::string& state_directory);
// Makes daemon/, shims/ and jobs/ below it, moves this process into daemon/ if `move_self`, and
// switches on the controllers that there are. Falls back to an empty base, never fails.
CgroupBase prepare_cgroups(CgroupBase base, bool move_self);
// The other way round, when the daemon ends in good order: goes back to where the base was found
// and removes what is empty. Does nothing while jobs run on, and never removes a delegated base.
void leave_cgroups(const CgroupBase& base);

// The attempts that have a leaf there, whoever made it.
std::vector<AttemptId> attempts_with_leaves(const CgroupBase& base);
std::string leaf_path(const CgroupBase& base, AttemptId attempt);

// Moves the calling process. False: it could not be moved, and stays where it is.
bool enter_cgroup(const std::string& path);

struct LeafLimits {
  int cpus = 0;                 // 0: none.
  std::uint64_t ram_bytes = 0;  // 0: none.
  std::string near_cpus = {};   // Empty: all.
  std::string near_memory = {};
};
// An empty leaf, new or made ready by premake_leaf(); what is in it under that name is ended first.
Result<Fd> make_leaf(const std::string& path, const LeafLimits& limits);
// The slow part of it, done beforehand.
void premake_leaf(const std::string& path);
bool kill_leaf(int leaf);
bool freeze_leaf(int leaf, bool frozen);
// How often the kernel ended a process in there for lack of memory.
std::uint64_t oom_kills_in(int leaf);
bool leaf_is_empty(int leaf);
// With groups that the job made below it. False while something is still in there.
bool remove_leaf(const std::string& path);
// Blocks until the leaf is empty, at most that long.
bool wait_until_leaf_is_empty(int leaf, int milliseconds);

}  // namespace gpusched
