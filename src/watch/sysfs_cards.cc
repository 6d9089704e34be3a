#include "watch/sysfs_cards.h"

#include <fmt/format.h>

namespace gpusched::watch {

void SysfsCards::put(const std::string& uuid, const DrmCard& card) {
  const std::lock_guard lock(mutex_);
  by_uuid_.insert_or_assign(uuid, card);
}

Result<DrmCard> SysfsCards::find(const CardIdentity& card, const Tree& tree) const {
  const std::lock_guard lock(mutex_);
  const auto known = by_uuid_.find(card.uuid);
  if (known == by_uuid_.end()) {
    return failure(ErrorCode::kNotFound, fmt::format("there is no card {}", card.uuid));
  }
  if (!tree.exists(known->second.device() + "/uevent")) {
    return failure(ErrorCode::kNotFound,
                   fmt::format("card {} has gone from /{}", card.uuid, known->second.directory));
  }
  return known->second;
}

Probed probe_sysfs(std::unique_ptr<Backend> backend, const char* none) {
  std::vector<std::string> complaints;
  const auto cards = backend->cards(complaints);
  if (!cards || cards->empty()) return {nullptr, true, none};
  return {std::move(backend), false, fmt::format("{} cards in sysfs", cards->size())};
}

void read_pcie(const Tree& tree, const DrmCard& card, CardSample& sample) {
  if (const auto speed = tree.word(card.device() + "/current_link_speed")) {
    sample.pcie_generation = pcie_generation(*speed);
  }
  const auto width = tree.number(card.device() + "/current_link_width");
  if (width && *width > 0 && *width <= 32) sample.pcie_width = static_cast<int>(*width);
}

}  // namespace gpusched::watch
