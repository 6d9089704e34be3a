// Which cards a process may use, by CUDA_VISIBLE_DEVICES.
#pragma once

#include <cstddef>
#include <vector>

#include "simdriver/world.h"

namespace gpusched::simdriver::cuda {

// In the order of the variable: indices in PCI order among the cards that are there, or UUIDs
// (also shortened). As with the real driver, the list ends at the first entry that names no card.
// `words` is null where the variable is not set: then all cards.
std::vector<std::size_t> visible_cards(const World& world, const char* words);

}  // namespace gpusched::simdriver::cuda
