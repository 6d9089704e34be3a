// The load that admission counts: the highest of the last seconds. It rises with the next look,
// and a drop counts in full once the time has passed. Told by the times of the looks and not by
// their number, so it is the same at any sampling period. This is the only place where load is
// smoothed.
#pragma once

#include <vector>

#include "base/time.h"

namespace gpusched {

class RecentLoad {
 public:
  // One more look; what counts now. `fall` is the time after which a look no longer does.
  double add(double percent, Boot at, Microseconds fall);

 private:
  struct Seen {
    Boot at{};
    double percent = 0;
  };
  std::vector<Seen> seen_;  // The newest last; each is lower than the one before it.
};

}  // namespace gpusched
