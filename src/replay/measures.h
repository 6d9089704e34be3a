// The figures of a replay. docs/simulate.md says exactly what each of them is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/outcome.h"
#include "replay/trace.h"

namespace gpusched::replay {

struct Spread {
  double average = 0, median = 0, p90 = 0, p95 = 0, p99 = 0, longest = 0;
};
// Quantile q is the sorted value at index int(q n).
Spread spread_of(std::vector<double> values);

struct TenantShare {
  std::string tenant;
  std::uint64_t jobs = 0;
  double card_seconds = 0;
  double average_wait_s = 0;
};
// Whether tenants get what is due to them, over windows of seven days: docs/simulate.md.
struct WindowShares {
  std::uint64_t windows = 0;  // Pairs of a window and a tenant with demand in it.
  std::uint64_t below = 0;    // Of these, with less than 0.8 of what was due.
  double worst = 1;           // The smallest part of what was due that somebody got.
  double jain = 1;            // Of those parts, averaged over windows.
};
WindowShares window_shares(const Trace& trace, const Outcome& outcome, Microseconds window);

struct Measures {
  std::uint64_t jobs = 0;
  Spread completion_s;  // From submission to end.
  Spread wait_s;        // Completion less time on cards: before and between runs.
  Spread slowdown;      // Completion over duration, durations below 10 s counting as 10 s.
  double makespan_s = 0;
  double utilisation_percent = 0;       // Of the card-seconds until the last submission.
  double idle_while_asked_percent = 0;  // Of them, free while somebody waits who asks for no more.
  std::uint64_t preemptions = 0;
  double lost_card_seconds = 0;
  std::uint64_t timed_out = 0;
  std::optional<double> prediction_error_s;  // Median of |real - predicted| start.
  std::vector<TenantShare> tenants;          // Largest first.
  WindowShares shares;
};

Measures measure(const Trace& trace, const Outcome& outcome);

}  // namespace gpusched::replay
