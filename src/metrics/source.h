// Somebody who has figures to tell. Who adds a family writes one of these and puts it into the list
// of the daemon (daemon/daemon_metrics.cc); docs/metrics.md has a row for each family.
#pragma once

#include <functional>

#include "metrics/exposition.h"

namespace gpusched::metrics {

// What it tells of, and with that who is told: the setting isolation.visibility hides the last two.
enum class Tells {
  kMachine,  // Cards and the daemon: for all who may ask.
  kCounts,   // How much everybody has or does, without names.
  kNames,    // Who: tenants.
};

struct Source {
  Tells tells = Tells::kMachine;
  std::function<void(Exposition&)> write;  // On the loop's thread; takes no time.
};

}  // namespace gpusched::metrics
