// How long a job will run, as far as anybody can say: the seam between what is known of jobs and
// everything that plans ahead (reservations, start estimates).
#pragma once

#include <optional>

#include "core/state/past_duration.h"
#include "core/state/state_view.h"

namespace gpusched {

// From its start to its end, by what it says of its progress, else by past runs of its
// signature, else of its sweep.
// None: nobody knows.
std::optional<Microseconds> expected_run(const StateView& state, const Job& job);
// What a plan may build on.
enum class Trust : std::uint8_t {
  kEstimates,  // Expected run times, while they have not proved too short.
  kLimits,     // Nothing but what is enforced.
};

// "Nobody knows", and later than every other time.
inline constexpr Wall kNobodyKnows = Wall::max();

// When a job is over that runs already, or would if it started now.
Wall end_of(const StateView& state, const Job& job, Now now, Trust trust);

}  // namespace gpusched
