// The threads of a process tree as /proc shows them at one moment: what core/preempt/activity.h
// compares.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "core/preempt/activity.h"
#include "jobdir/process_tree.h"

namespace gpusched {

// A tree to look at: a process with all below it, or only what is below it.
struct TreeRoot {
  pid_t pid = 0;
  bool with_root = true;
};

// Of `all` as list_processes() gave it. Nullopt: the root is not there. Of very many threads, those
// of the oldest processes.
std::optional<HolderLook> look_at_threads(const TreeRoot& root,
                                          const std::vector<ProcessEntry>& all, Boot now);

}  // namespace gpusched
