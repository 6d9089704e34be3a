#include "core/state/deadline_times.h"

#include <algorithm>

#include "base/check.h"
#include "core/state/past_duration.h"

namespace gpusched {

namespace {

// Of a job of which nothing is known; the look ahead takes the same.
constexpr Microseconds kRunUnknown = Seconds{3600};

}  // namespace

std::optional<Microseconds> known_run_of(const Estimates& estimates, const Job& job) {
  const auto expected = past_duration(estimates, job, nullptr);
  const auto longest = longest_run(job);
  if (expected && longest) return std::min(*expected, *longest);
  return expected ? expected : longest;
}

Microseconds run_ahead_of(const Estimates& estimates, const Job& job) {
  return known_run_of(estimates, job).value_or(kRunUnknown);
}

std::optional<Wall> DeadlineTimes::next_after(Wall now) const {
  for (const Wall at : {raised_at, latest_start, deadline}) {
    if (at > now) return at;
  }
  return std::nullopt;
}

DeadlineTimes deadline_times(const Estimates& estimates, Microseconds slack, const Job& job) {
  CHECK(job.spec->extras->deadline.has_value());
  const Wall deadline = *job.spec->extras->deadline;
  const Microseconds run = run_ahead_of(estimates, job);
  // Half as long again: what is expected errs, and others have to end first.
  return {.raised_at = deadline - run - run / 2 - slack,
          .latest_start = deadline - run,
          .deadline = deadline};
}

}  // namespace gpusched
