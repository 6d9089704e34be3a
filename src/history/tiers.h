// The four resolutions in which the past is kept: the older, the coarser. Widths are fixed, since
// they are part of what is on disk; how long each is kept is set.
#pragma once

#include <array>
#include <cstddef>

#include "base/time.h"

namespace gpusched::history {

struct Tier {
  Seconds width{1};
  Seconds keep{0};  // 0: this tier is not kept at all.
};

inline constexpr std::size_t kTiers = 4;
// Attempts have all but the coarsest: they are forgotten with their job.
inline constexpr std::size_t kJobTiers = 3;
inline constexpr Seconds kForever{1'000LL * 366 * 86'400};

// Finest first.
using Tiers = std::array<Tier, kTiers>;

inline constexpr Tiers kDefaultTiers = {
    Tier{Seconds{1}, Seconds{3'600}},
    Tier{Seconds{10}, Seconds{86'400}},
    Tier{Seconds{60}, Seconds{30 * 86'400}},
    Tier{Seconds{3'600}, Seconds{730 * 86'400}},
};

// The same for attempts: the last one they have stays as long as the job does.
constexpr Tiers job_tiers(Tiers tiers) {
  tiers[kJobTiers - 1].keep = kForever;
  for (std::size_t i = kJobTiers; i < kTiers; ++i) tiers[i].keep = Seconds{0};
  return tiers;
}

}  // namespace gpusched::history
