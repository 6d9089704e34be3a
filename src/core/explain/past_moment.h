// The queue at a moment that is over, put together again from what is known now: who was on the
// cards or aside is in the past (core/model/past_span.h), and who had been submitted and was not
// over waited. Asked the same questions as the state of now, it answers in the same words. Rules,
// priorities, and what is known of run times are those of now; what was seen of the cards is not.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "core/explain/excerpt.h"
#include "core/model/past_span.h"

namespace gpusched {

// Of waiting jobs, and of jobs that have ended since, so many are looked at.
inline constexpr std::size_t kThenWaitingMost = 1000;
inline constexpr std::size_t kThenEndedMost = 2000;

struct PastMoment {
  Excerpt known;                // Jobs that may have been there then, as they are now.
  Wall at{};                    // REQUIRES: not after known.now.
  std::vector<PastSpan> spans;  // Of jobs, those that hold at that moment.
  std::vector<Drain> drains;    // The same.
  std::set<JobId> held;         // Of those that waited.
};

// Jobs that may have been there at the moment, and always this one. `left_out` counts who ended
// since and was not looked at.
Excerpt excerpt_then(const StateView& state, Wall at, std::optional<JobId> asked, Now now);

struct StateThen {
  State state;
  Now now;
  std::vector<PastSpan> on_cards, aside;  // One a job and card, by job.
  std::vector<JobId> waiting;             // In order.
};
StateThen state_then(PastMoment moment);

}  // namespace gpusched
