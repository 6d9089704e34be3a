#include "core/run_time.h"

#include <algorithm>

namespace gpusched {

std::optional<Microseconds> longest_run(const Job& job) {
  const TimeRule& time = job.spec->time;
  if (time.limit == Seconds{0}) return std::nullopt;
  return time.limit + time.grace;
}

std::optional<Microseconds> expected_run(const State&, const Job& job) { return longest_run(job); }

Wall end_of(const State& state, const Job& job, Now now, Trust trust) {
  const auto* running = std::get_if<Running>(&job.state);
  const Wall started = running ? running->started_at : now.wall;
  const auto longest = longest_run(job);
  const Wall latest = longest ? std::max(now.wall, started + *longest) : kNobodyKnows;
  if (trust == Trust::kLimits) return latest;
  const auto expected = expected_run(state, job);
  // One that runs on past its estimate has shown that the estimate says nothing.
  if (!expected || started + *expected <= now.wall) return latest;
  return std::min(latest, started + *expected);
}

}  // namespace gpusched
