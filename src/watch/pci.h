// PCI addresses in the one form of CardIdentity, and whether a card sleeps. Reading a sleeping
// card wakes it, which on a laptop costs battery for nothing: ask here first.
#pragma once

#include <string>
#include <string_view>

#include "watch/tree.h"

namespace gpusched::watch {

// "0000:3b:00.0" and "00000000:3B:00.0" become "00000000:3B:00.0"; anything else is empty.
std::string normal_pci(std::string_view text);
// True if the kernel has put the card to sleep. Unknown addresses and files: it is awake.
bool is_suspended(const Tree& tree, std::string_view pci);

}  // namespace gpusched::watch
