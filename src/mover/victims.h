// Whose processes are to be moved: all of an attempt's control group, or of its shim's tree.
// Everything here is a snapshot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobdir/process_tree.h"

namespace gpusched::mover {

struct Where {
  std::string leaf;  // Control group; empty: none.
  pid_t root = 0;    // Else the tree below this process.
  bool with_root = false;
  std::vector<pid_t> apart = {};    // Of the tree, whose parts of it are not meant.
  std::optional<uid_t> owner = {};  // Of the tree, only this user's; absent or root: anybody's.
};

// What the claim in the attempt's directory says.
Result<Where> where_of(int directory);
// Alive, in the order of their pids.
std::vector<ProcessEntry> processes_of(const Where& where);
bool is_gone(pid_t pid, Boot started);
// The pid of one that does not run, after a moment in which one that is being woken wakes up. A
// call of the driver on it would not return. In a frozen control group it is any of them.
std::optional<pid_t> find_stopped(const Where& where);
// Every process of the group stands still.
bool is_frozen(const std::string& leaf);

}  // namespace gpusched::mover
