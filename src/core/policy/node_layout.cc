#include "core/policy/node_layout.h"

#include <algorithm>

namespace gpusched::policy {

NodeLayout::NodeLayout(int nodes, int cards_per_node)
    : per_node_(cards_per_node),
      free_total_(nodes * cards_per_node),
      free_(static_cast<std::size_t>(nodes), cards_per_node) {}

// The node for `cards` of them, passing over the first `after_whole` wholly free nodes, which the
// same job takes; -1: none.
int NodeLayout::part_of_node(int cards, Fit fit, int after_whole) const {
  int best = -1;
  for (int node = 0; node < nodes(); ++node) {
    const int free = free_on(node);
    if (free < cards) continue;
    if (free == per_node_ && after_whole > 0) {
      --after_whole;
      continue;
    }
    if (best >= 0 && free_on(best) <= free) continue;
    best = node;
    if (fit == Fit::kFirst || free == cards) break;
  }
  return best;
}

std::optional<Places> NodeLayout::find(int cards, Fit fit) const {
  if (cards > free_total_) return std::nullopt;
  Places places;
  if (cards <= 0) return places;
  const int whole = cards > per_node_ ? cards / per_node_ : 0;
  const int rest = cards - whole * per_node_;
  int missing = whole;
  for (int node = 0; node < nodes() && missing > 0; ++node) {
    if (free_on(node) != per_node_) continue;
    places.push_back({node, per_node_});
    --missing;
  }
  if (missing > 0) return std::nullopt;
  if (rest > 0) {
    const int node = part_of_node(rest, fit, whole);
    if (node < 0) return std::nullopt;
    places.push_back({node, rest});
  }
  return places;
}

bool NodeLayout::has(const Places& places) const {
  return std::ranges::all_of(places,
                             [&](const NodeShare& on) { return free_on(on.node) >= on.cards; });
}

void NodeLayout::take(const Places& places) {
  for (const NodeShare& on : places) {
    free_[static_cast<std::size_t>(on.node)] -= on.cards;
    free_total_ -= on.cards;
  }
}

void NodeLayout::give_back(const Places& places) {
  for (const NodeShare& on : places) {
    free_[static_cast<std::size_t>(on.node)] += on.cards;
    free_total_ += on.cards;
  }
}

}  // namespace gpusched::policy
