// Processes that a command leaves behind: those that it started come to us when their own parents
// are gone, wherever they have put themselves, and are ended.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <set>

#include "base/time.h"

namespace gpusched::notifier {

// From now on what children of this process leave behind becomes its own.
void adopt_orphans();

struct Leftovers {
  std::size_t ended = 0;
  bool some_live = false;  // They could not be ended in time.
};
// Ends all children of this process but these, and what those had started.
Leftovers end_children_but(const std::set<pid_t>& kept, Boot deadline);

}  // namespace gpusched::notifier
