// The GpuBackend seam: which cards there are. Live samples follow through the same seam; every
// field of a sample is optional, because absent is unknown and never zero.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/card.h"

namespace gpusched {

// What a look at the machine brought: the cards, in PCI order, or why there are none to be seen.
struct CardsFound {
  std::vector<Card> cards;
  std::string source;  // "simulated", "nvml", "none": for `gpus`, `doctor` and the log.
};

class GpuBackend {
 public:
  virtual ~GpuBackend() = default;
  // Looks once and calls `done` later on the loop's thread; never blocks the caller.
  virtual void find_cards(std::function<void(Result<CardsFound>)> done) = 0;
};

}  // namespace gpusched
