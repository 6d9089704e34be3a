// A fork whose child begins in a control group, so that nothing of it is ever outside.
#pragma once

#include <sys/types.h>

namespace gpusched {

// As fork(); `leaf_fd` -1: no group. ENODEV or ENOENT: the group has been removed. The child may
// run for a moment before it is in there: it must wait for a word of its parent before it does
// anything of its own.
pid_t fork_into(int leaf_fd);

}  // namespace gpusched
