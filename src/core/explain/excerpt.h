// What a look at the queue needs of a state, copied so that it can be taken elsewhere (to another
// thread, into a file): all of the machine, what runs, and the first of those that wait. Copying a
// hundred thousand jobs would hold up the loop; whoever waits further back is not looked at.
#pragma once

#include <cstddef>
#include <vector>

#include "core/state/state.h"

namespace gpusched {

struct Excerpt {
  State machine;          // Without jobs.
  std::vector<Job> jobs;  // What runs, what waits in order, and what those depend on; each once.
  Now now;
  std::uint64_t left_out = 0;  // Waiting jobs that are not in it.
};
Excerpt excerpt_of(const StateView& state, std::size_t waiting_most, Now now);

// The cards, rules, groups, drains and the like of a state, without its jobs.
State machine_of(const StateView& state);
// The excerpt as a state of its own.
State state_of(Excerpt excerpt);

}  // namespace gpusched
