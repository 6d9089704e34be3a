// Removes a directory with all that is in it. Submitters own files inside job directories, so
// nothing is ever followed: every step is relative to an open directory and refuses links.
#pragma once

#include <string>

#include "base/result.h"

namespace gpusched {

// `name` below the open directory. Gone already counts as removed.
Result<void> remove_tree(int parent, const std::string& name);

}  // namespace gpusched
