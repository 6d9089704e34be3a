// The GpuBackend seam: which cards there are, and what is seen on them. Reports arrive on the
// loop's thread, never from inside a call. Every part of what is seen is optional, because absent
// is unknown and never zero.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/card.h"
#include "core/model/event.h"

namespace gpusched {

// What a look at the machine brought: the cards, in the order of their numbers.
struct CardsFound {
  std::vector<Card> cards;  // Not usable until they have been seen.
  std::string source;       // "simulated", "nvml", "none": for `gpus`, `doctor` and the log.
};

class GpuBackend {
 public:
  struct Handlers {
    // At first, and whenever the cards are others. An error: nothing can be said of them for now;
    // it goes on trying.
    std::function<void(Result<CardsFound>)> cards;
    std::function<void(CardSeen)> seen;
  };
  virtual ~GpuBackend() = default;
  virtual void start(Handlers handlers) = 0;
  // Something runs or waits: look often. Else look rarely.
  virtual void set_busy(bool busy) = 0;
  // Once more within a tenth of a second, whatever the period. Whoever wants it again says so
  // again.
  virtual void look_soon(CardNumber card) = 0;
  // Something could start there: look at once.
  virtual void look_now(CardNumber card) = 0;
};

}  // namespace gpusched
