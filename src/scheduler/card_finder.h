// The cards of this machine by NVIDIA's management library, for an embedded scheduler that was told
// of none, and how they are now.
#pragma once

#include <functional>
#include <vector>

#include "scheduler/backend.h"

namespace gpusched::library {

struct FoundCards {
  std::vector<CardFact> cards;
  std::function<std::vector<CardFact>()> look;
};
Reply<FoundCards> find_cards();

}  // namespace gpusched::library
