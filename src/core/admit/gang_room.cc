#include "core/admit/gang_room.h"

#include <algorithm>

namespace gpusched {

GangRoom::GangRoom(const std::vector<Card>& cards) : cards_(cards) {
  if (cards.empty() || cards.front().node == cards.back().node) return;
  in_node_.resize(static_cast<std::size_t>(cards.back().node) + 1);
  node_size_ = cards.size() / in_node_.size();
}

void GangRoom::offer(std::size_t card) {
  offered_.push_back(card);
  if (in_node_.empty()) return;
  const std::size_t there = ++in_node_[static_cast<std::size_t>(cards_[card].node)];
  most_ = std::max(most_, there);
  whole_ += there == node_size_ ? 1 : 0;
}

std::size_t GangRoom::node_for(std::size_t count, std::size_t whole_taken) const {
  std::size_t best = in_node_.size();
  for (std::size_t node = 0; node < in_node_.size(); ++node) {
    if (in_node_[node] < count) continue;
    if (in_node_[node] == node_size_ && whole_taken > 0) {
      --whole_taken;
      continue;
    }
    if (best == in_node_.size() || in_node_[node] < in_node_[best]) best = node;
  }
  return best;
}

bool GangRoom::holds(std::size_t count) const {
  if (in_node_.empty() || count > offered_.size()) return count <= offered_.size();
  if (count <= node_size_) return most_ >= count;
  const std::size_t whole = count / node_size_;
  const std::size_t rest = count % node_size_;
  return whole_ >= whole && (rest == 0 || node_for(rest, whole) < in_node_.size());
}

std::vector<std::size_t> GangRoom::choose(std::size_t count) const {
  std::vector<std::size_t> chosen;
  if (in_node_.empty()) {
    chosen.assign(offered_.begin(), offered_.begin() + static_cast<std::ptrdiff_t>(count));
    return chosen;
  }
  std::vector<std::size_t> wanted(in_node_.size(), 0);  // By node.
  const std::size_t whole = count > node_size_ ? count / node_size_ : 0;
  const std::size_t rest = count - whole * node_size_;
  if (rest > 0) wanted[node_for(rest, whole)] = rest;
  std::size_t missing = whole;
  for (std::size_t node = 0; node < in_node_.size() && missing > 0; ++node) {
    if (in_node_[node] != node_size_ || wanted[node] > 0) continue;
    wanted[node] = node_size_;
    --missing;
  }
  for (const std::size_t card : offered_) {
    std::size_t& left = wanted[static_cast<std::size_t>(cards_[card].node)];
    if (left == 0) continue;
    --left;
    chosen.push_back(card);
  }
  return chosen;
}

}  // namespace gpusched
