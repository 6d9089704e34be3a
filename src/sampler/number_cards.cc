#include "sampler/number_cards.h"

#include <algorithm>

#include "watch/open_backends.h"

namespace gpusched {

std::vector<CardOfBackend> number_cards(
    const std::vector<std::unique_ptr<watch::Backend>>& backends,
    std::vector<std::string>& complaints) {
  std::vector<CardOfBackend> found;
  for (watch::ListedCard& listed : watch::list_cards(backends, complaints)) {
    const std::string name = listed.backend->name();
    found.push_back({{CardNumber{}, std::move(listed.identity), name}, listed.backend});
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].card.number = CardNumber{static_cast<std::uint16_t>(i)};
  }
  std::erase_if(found, [](const CardOfBackend& each) { return each.card.identity.uuid.empty(); });
  return found;
}

}  // namespace gpusched
