// Gives numbers to the cards that a policy counts, so that a replay can be drawn card by card.
#pragma once

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "core/policy/node_layout.h"

namespace gpusched::replay {

class CardLedger {
 public:
  CardLedger(int nodes, int cards_per_node)
      : per_node_(cards_per_node),
        taken_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(cards_per_node), false) {}

  std::vector<int> take(const policy::Places& places) {
    std::vector<int> cards;
    for (const policy::NodeShare& on : places) {
      int left = on.cards;
      for (int card = on.node * per_node_; left > 0; ++card) {
        CHECK(card < (on.node + 1) * per_node_);
        if (taken_[static_cast<std::size_t>(card)]) continue;
        taken_[static_cast<std::size_t>(card)] = true;
        cards.push_back(card);
        --left;
      }
    }
    return cards;
  }
  void give_back(const std::vector<int>& cards) {
    for (const int card : cards) taken_[static_cast<std::size_t>(card)] = false;
  }

 private:
  int per_node_;
  std::vector<bool> taken_;
};

}  // namespace gpusched::replay
