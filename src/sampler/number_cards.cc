#include "sampler/number_cards.h"

#include <algorithm>
#include <tuple>

namespace gpusched {

std::vector<CardOfBackend> number_cards(
    const std::vector<std::unique_ptr<watch::Backend>>& backends,
    std::vector<std::string>& complaints) {
  std::vector<CardOfBackend> found;
  for (const auto& backend : backends) {
    auto cards = backend->cards(complaints);
    if (!cards) {
      complaints.push_back(backend->name() + ": " + cards.error().message);
      continue;
    }
    for (watch::CardIdentity& card : *cards) {
      found.push_back({{CardNumber{}, std::move(card), backend->name()}, backend.get()});
    }
  }
  std::ranges::stable_sort(found, {}, [](const CardOfBackend& each) {
    const watch::CardIdentity& card = each.card.identity;
    return std::tuple(card.vendor, card.pci.empty(), card.pci);
  });
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].card.number = CardNumber{static_cast<std::uint16_t>(i)};
  }
  std::erase_if(found, [](const CardOfBackend& each) { return each.card.identity.uuid.empty(); });
  return found;
}

}  // namespace gpusched
