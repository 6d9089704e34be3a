// A process that ran before it became a job (docs/adr/0043): its owner, or a rule, has put it under
// management. The job was never started by us, so it cannot be started again either.
#pragma once

#include "base/time.h"

namespace gpusched {

struct AdoptedProcess {
  int pid = 0;
  Boot started{};        // As the kernel says it; tells it from a later one of the same number.
  bool by_rule = false;  // Nobody asked for it: it is let go when it is back on its cards.
  friend bool operator==(const AdoptedProcess&, const AdoptedProcess&) = default;
};

}  // namespace gpusched
