// Which of the cards with room a gang gets, where cards belong to several machines (nodes): all in
// one node if a node is large enough, else whole nodes and the rest in one more. On one machine
// any cards will do, in the order in which they were offered.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/card.h"

namespace gpusched {

class GangRoom {
 public:
  // REQUIRES: the cards of a node stand together; nodes are numbered from 0.
  explicit GangRoom(const std::vector<Card>& cards);

  // A card that has room, by its position; the better ones first.
  void offer(std::size_t card);
  // There is room for a gang of so many cards.
  bool holds(std::size_t count) const;
  // The cards it gets. REQUIRES: holds(count).
  std::vector<std::size_t> choose(std::size_t count) const;

 private:
  // The node for part of a gang, the one that keeps least; whole ones first in order are passed
  // over, as many as the gang takes already. nodes() if there is none.
  std::size_t node_for(std::size_t count, std::size_t whole_taken) const;

  const std::vector<Card>& cards_;
  std::vector<std::size_t> offered_;
  std::vector<std::size_t> in_node_;  // Offered, by node; empty where there is one machine.
  std::size_t node_size_ = 0;
  std::size_t whole_ = 0;  // Nodes of which every card was offered.
  std::size_t most_ = 0;   // The most that were offered in one node.
};

}  // namespace gpusched
