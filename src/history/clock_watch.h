// Whether the wall clock can be believed when it says that something is old enough to be deleted.
// A clock that jumps ahead by years, even for a minute, must not cost two years of history. Pure.
#pragma once

#include <optional>

#include "base/time.h"

namespace gpusched::history {

class ClockWatch {
 public:
  void note(Wall at);
  // Points have followed each other without a jump for a while.
  bool steady() const;
  std::optional<Wall> newest() const { return last_; }

 private:
  std::optional<Wall> last_;
  Wall since_{};
};

}  // namespace gpusched::history
