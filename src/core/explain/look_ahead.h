// When will it start? The same decisions, run ahead in virtual time on a copy: running jobs end as
// expected, waiting ones start where decide() puts them, until all have started. Pure and slow
// enough (tens of milliseconds for a thousand jobs) to be kept off the loop.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

struct Excerpt;

struct StartEstimate {
  Wall likely{};               // If everything runs as long as expected.
  std::optional<Wall> latest;  // If everything runs to its limit; none: something has no limit.
  bool guessed = false;        // On the way there is a run of which nothing is known.
  friend bool operator==(const StartEstimate&, const StartEstimate&) = default;
};

struct Forecast {
  Now made_at;
  std::unordered_map<JobId, StartEstimate> starts;  // A job that is not here: nobody can say.
};

// How far ahead the waiting jobs of one excerpt are looked at.
inline constexpr std::size_t kLookedAheadMost = 1000;

Forecast look_ahead(Excerpt excerpt);

}  // namespace gpusched
