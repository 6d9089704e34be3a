// Which cards the driver has: who they are, in PCI order, with the handle for further calls.
#pragma once

#include <string>
#include <vector>

#include "nvml/calls.h"
#include "watch/sample.h"

namespace gpusched::nvml {

struct FoundCard {
  Device device = nullptr;
  watch::CardIdentity identity;  // Without a UUID: it is there but does not answer.
};

// `complaints` gets a sentence for each card that does not answer as it should. Cards that this
// process may not use (in a container) are left out.
Result<std::vector<FoundCard>> list_cards(const Library& library,
                                          std::vector<std::string>& complaints);

}  // namespace gpusched::nvml
