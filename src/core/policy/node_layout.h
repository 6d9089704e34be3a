// Free cards of several machines ("nodes") of one size, as numbers. What reference policies place
// on: which card of a node it is does not matter to them. One node of all cards is a pool.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace gpusched::policy {

struct NodeShare {
  int node = 0;
  int cards = 0;
  friend bool operator==(const NodeShare&, const NodeShare&) = default;
};
using Places = std::vector<NodeShare>;

enum class Fit {
  kFirst,  // The first node in order that has room.
  kBest,   // The node that keeps least free, which leaves the others whole.
};

class NodeLayout {
 public:
  NodeLayout(int nodes, int cards_per_node);

  // Jobs of at most a node's size stay in one node; larger ones take wholly free nodes and, for the
  // rest, a part of one more.
  std::optional<Places> find(int cards, Fit fit) const;
  bool has(const Places& places) const;
  void take(const Places& places);
  void give_back(const Places& places);

  int nodes() const { return static_cast<int>(free_.size()); }
  int cards_per_node() const { return per_node_; }
  int total() const { return per_node_ * nodes(); }
  int free() const { return free_total_; }
  int free_on(int node) const { return free_[static_cast<std::size_t>(node)]; }

 private:
  int part_of_node(int cards, Fit fit, int after_whole) const;

  int per_node_;
  int free_total_;
  std::vector<int> free_;  // May be below zero where two plans are laid over each other.
};

}  // namespace gpusched::policy
