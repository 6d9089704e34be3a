// Which cards the driver has: who they are, in PCI order, with the handle for further calls. Each
// card is asked in a thread of its own, because a card in trouble may not answer: it must not keep
// the others from being listed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nvml/calls.h"
#include "watch/sample.h"

namespace gpusched::nvml {

struct FoundCard {
  Device device = nullptr;
  watch::CardIdentity identity;  // Without a UUID: it is there but does not answer.
};

struct Listing {
  std::chrono::milliseconds patience{5000};
  // In the card's own thread, when it has said who it is.
  std::function<void(const FoundCard&)> found;
  // In that thread, when a card that was given up has answered after all.
  std::function<void()> late;
};

// `complaints` gets a sentence for each card that does not answer as it should. Cards that this
// process may not use (in a container) are left out; one that does not answer has a place, so that
// those behind it keep theirs.
Result<std::vector<FoundCard>> list_cards(const std::shared_ptr<Library>& library,
                                          const Listing& listing,
                                          std::vector<std::string>& complaints);

}  // namespace gpusched::nvml
