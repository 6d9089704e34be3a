// What this machine offers beside its cards.
#pragma once

#include "core/model/card.h"

namespace gpusched {

// CPUs this process may use, and all of the RAM.
HostCapacity read_host_capacity();

// What the daemon can serve with so many descriptors, of which `open` are its own for good.
struct Followable {
  int jobs = 0;     // At once.
  int clients = 0;  // The same; never more than were asked for.
};
Followable followable_with(std::uint64_t descriptors, std::uint64_t open, int clients);

}  // namespace gpusched
