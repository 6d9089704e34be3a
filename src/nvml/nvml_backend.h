// The backend on NVIDIA's management library. Everything that a driver or a card does not have is
// absent from its samples; nothing of it is an error.
#pragma once

#include <chrono>
#include <functional>

#include "base/time.h"
#include "watch/backend.h"

namespace gpusched::nvml {

struct Options {
  std::function<Boot()> clock;  // Says which of the slow figures are due. Empty: the machine's.
  std::chrono::milliseconds patience{5000};  // With a card that does not say who it is.
};
watch::Probed probe(Options options = {});

}  // namespace gpusched::nvml
