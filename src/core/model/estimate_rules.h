// The numbers behind estimates and live admission (docs/admission.md); each is a setting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace gpusched {

// What may be done to running jobs to make room.
enum class Preemption : std::uint8_t { kOff, kCooperative, kAuto };

struct EstimateRules {
  // Past runs may lower what a job declared, too; else they only advise.
  bool trust_history = false;
  // Held for a job that declares nothing: this part of that quantile of its peaks.
  int hold_percent = 115;
  int quantile_percent = 90;
  // What the attempt after an out-of-memory failure holds, of what the failed one held.
  int oom_hold_percent = 150;
  // A job counts with its full estimate for so long, or until it has shown this much of it.
  Seconds ramp{120};
  int ramp_shown_percent = 90;
  // The load that counts is the highest of so many seconds.
  Seconds load_fall{3};
  // A job of which nothing is known may be joined when its memory has grown less than this in
  // this time after the ramp; it then counts with this part of its peak.
  Seconds settle_after{300};
  int settle_growth_percent = 5;
  int settled_hold_percent = 125;
  // When another job of its program waits, so long without growth is enough, while it computes.
  Seconds sibling_settle{3};
  // Signatures that are remembered; the ones used longest ago go first.
  std::size_t signatures_most = 2000;
  friend bool operator==(const EstimateRules&, const EstimateRules&) = default;
};

}  // namespace gpusched
