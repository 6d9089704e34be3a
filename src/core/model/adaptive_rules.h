// Within what bounds the cap on a card's compute moves by itself (state/adaptive_cap.h).
#pragma once

namespace gpusched {

struct AdaptiveRules {
  bool on = false;
  int least_percent = 80;
  int most_percent = 95;
  int slowdown_percent = 15;  // More than this against a job's pace alone is too much.
  friend bool operator==(const AdaptiveRules&, const AdaptiveRules&) = default;
};

}  // namespace gpusched
