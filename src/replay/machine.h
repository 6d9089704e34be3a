// The machine of a replay, from the words of the command line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/card.h"

namespace gpusched::replay {

struct Machine {
  int nodes = 1;
  int cards_per_node = 0;
  std::vector<Card> cards;  // Of all nodes, in their order.
  HostCapacity host;        // Without bound where nodes are counted.
  int total() const { return static_cast<int>(cards.size()); }
};

// "8x8" is 8 nodes of 8 cards each; "2x24G,1x80G" are the cards of one node, as for serve --sim.
Result<Machine> describe_machine(const std::string& words, const std::string& cpus,
                                 const std::string& ram);

}  // namespace gpusched::replay
