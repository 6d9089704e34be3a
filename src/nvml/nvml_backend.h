// The backend on NVIDIA's management library. Everything that a driver or a card does not have is
// absent from its samples; nothing of it is an error.
#pragma once

#include <functional>

#include "core/time.h"
#include "watch/backend.h"

namespace gpusched::nvml {

// `clock` says which of the slow figures are due; tests bring their own.
watch::Probed probe(std::function<Boot()> clock);
// With the machine's clock.
watch::Probed probe();

}  // namespace gpusched::nvml
