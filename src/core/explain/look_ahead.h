// When will it start? The same decisions, run ahead in virtual time on a copy: running jobs end as
// expected, waiting ones start where decide() puts them, until all have started that can. One of
// which nobody knows when it ends does not end: no time is invented. Pure and slow enough (tens of
// milliseconds for a thousand jobs) to be kept off the loop.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"
#include "core/model/job.h"

namespace gpusched {

struct Excerpt;

struct StartEstimate {
  Wall likely{};               // If everything runs as long as expected.
  std::optional<Wall> latest;  // If everything runs to its limit; none: something has no limit.
  friend bool operator==(const StartEstimate&, const StartEstimate&) = default;
};

// Why nobody can say when a job starts: another one has to end or go on first.
struct StartUnknown {
  enum class Why : std::uint8_t {
    kEndless,  // It has no time limit and has not run before.
    kOverdue,  // It has no time limit and runs longer than it ever did.
    kAside,    // It is paused, or moved aside.
    kHeld,     // Somebody has to release it.
  };
  JobId job{};
  Why why = Why::kEndless;
  friend bool operator==(const StartUnknown&, const StartUnknown&) = default;
};
// "job 72 has no time limit and has not run before".
std::string describe(const StartUnknown& unknown);

// A stretch that a job is expected to have on its cards.
struct PlannedSpan {
  JobId job{};
  bool back = false;          // It returns to them; else it starts.
  Wall from{};                // On its cards from then on,
  std::optional<Wall> until;  // to its end, or until it is moved aside. Absent: nobody knows.
  std::vector<CardGrant> cards;
};

struct Forecast {
  Now made_at;
  std::unordered_map<JobId, StartEstimate> starts;
  // Of waiting jobs that are not in `starts`; one that is in neither: nobody has looked.
  std::unordered_map<JobId, StartUnknown> unknown = {};
  // Of the leases among those: when they start if who has no end runs as long again as it has run.
  // Programs plan with it; to people it is not told.
  std::unordered_map<JobId, Wall> rough_starts = {};
  // In the order in which it happens in the course of estimates; the first kPlannedMost.
  std::vector<PlannedSpan> plan = {};
};

// How far ahead the waiting jobs of one excerpt are looked at.
inline constexpr std::size_t kLookedAheadMost = 1000;
inline constexpr std::size_t kPlannedMost = 2 * kLookedAheadMost;

Forecast look_ahead(Excerpt excerpt);

}  // namespace gpusched
