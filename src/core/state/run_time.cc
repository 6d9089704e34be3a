#include "core/state/run_time.h"

#include <algorithm>

#include "core/state/estimates.h"

namespace gpusched {
namespace {

// A first step says little: it holds what happens only once.
constexpr std::uint64_t kStepsLeast = 2;

std::optional<Microseconds> from_progress(const StateView& state, const Job& job) {
  if (!job.active()) return std::nullopt;
  const std::optional<Progress> said = state.seen().uses.progress_of(job.current_attempt());
  if (!said || said->step < kStepsLeast || said->step > said->total) return std::nullopt;
  // The first attempt begins at nothing; a later one where its first report says.
  const bool resumed = job.attempt > 1;
  if (resumed && said->step <= said->first_step) return std::nullopt;
  const std::uint64_t steps = said->step - (resumed ? said->first_step : 0);
  const Microseconds took = said->ran - (resumed ? said->first_ran : Microseconds{0});
  if (took <= Microseconds{0}) return std::nullopt;
  const double each = static_cast<double>(took.count()) / static_cast<double>(steps);
  const double left = each * static_cast<double>(said->total - said->step);
  constexpr double kLongest = 1e15;  // Some thirty years.
  return said->ran + Microseconds{static_cast<std::int64_t>(std::min(left, kLongest))};
}

}  // namespace

std::optional<Microseconds> expected_run(const StateView& state, const Job& job) {
  if (const auto said = from_progress(state, job)) return said;
  const Grant* grant = grant_of(job);
  static const std::string kOnCpus;
  const std::string* model = grant != nullptr ? &kOnCpus : nullptr;
  if (grant != nullptr && !grant->cards.empty()) {
    const auto position = state.index_of(grant->cards.front().card);
    if (position) model = &state.cards()[*position].model;
  }
  return past_duration(state.estimates(), job, model);
}

Wall end_of(const StateView& state, const Job& job, Now now, Trust trust) {
  const auto* running = std::get_if<Running>(&job.state);
  // Nobody knows when a job that is away returns.
  const Aside* aside = aside_of(job);
  if (aside != nullptr && aside->phase != AsidePhase::kResuming) {
    return aside->over_limit_until ? std::max(now.wall, *aside->over_limit_until) : kNobodyKnows;
  }
  // The clock of limits and estimates stands still while it is away.
  const Wall started = running ? now.wall - ran_for(*running, now.wall) : now.wall;
  const auto longest = longest_run(job);
  const Wall latest = longest ? std::max(now.wall, started + *longest) : kNobodyKnows;
  if (trust == Trust::kLimits) return latest;
  const auto expected = expected_run(state, job);
  // One that runs on past its estimate has shown that the estimate says nothing.
  if (!expected || started + *expected <= now.wall) return latest;
  return std::min(latest, started + *expected);
}

}  // namespace gpusched
