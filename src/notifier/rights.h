// This program talks to the outside, so it gives up what it does not need before it reads a byte:
// root's rights, new rights through programs it starts, core files, memory and descriptors without
// end.
#pragma once

#include <string>

#include "base/result.h"

namespace gpusched::notifier {

// `user` counts when we are root; else we stay who we are.
Result<void> give_up_rights(const std::string& user);

}  // namespace gpusched::notifier
