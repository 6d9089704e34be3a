// Where an active job is in its life: on its cards, or aside. What is over of it becomes a row
// (core/model/past_span.h); what is under way is told by the same function.
#pragma once

#include <vector>

#include "core/model/card.h"
#include "core/model/past_span.h"

namespace gpusched {

// One for each card of the job, up to `now`; the states are as of a job that goes on. Empty: it is
// not active.
std::vector<PastSpan> spans_under_way(const Job& job, const std::vector<Card>& cards, Wall now);

// How the attempt ended that `before` was in, if it is over.
struct StretchEnd {
  Wall at{};
  std::optional<Wall> began = {};  // If its command ran.
  std::optional<Cause> failed = {};
};
// What has come to its end by the change from `before` to `after`; mostly nothing.
std::vector<PastSpan> spans_over(const Job& before, const Job& after, const StretchEnd& end,
                                 const std::vector<Card>& cards);

}  // namespace gpusched
