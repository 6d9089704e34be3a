#include "history/clock_watch.h"

namespace gpusched::history {
namespace {

// Points of several cards overlap a little, and a clock is pulled straight in small steps.
constexpr Seconds kBackMost{5};
// A machine that was off or asleep looks like this too; then deleting waits as well.
constexpr Seconds kAheadMost{300};
constexpr Seconds kSteadyAfter{600};

}  // namespace

void ClockWatch::note(Wall at) {
  if (!last_ || at < *last_ - kBackMost || at > *last_ + kAheadMost) since_ = at;
  last_ = at;
}

bool ClockWatch::steady() const { return last_ && *last_ - since_ >= kSteadyAfter; }

}  // namespace gpusched::history
