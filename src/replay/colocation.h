// What sharing a card costs, as a model: jobs whose loads add up to more than the card slow down in
// proportion, and each further job on it costs a configured part besides (caches, memory, copies).
// A gang runs at the pace of its slowest card. Whole numbers: equal input gives equal times.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "core/model/job.h"

namespace gpusched::replay {

// Millionths of full speed.
using Pace = std::int64_t;
inline constexpr Pace kFullPace = 1'000'000;

// Work done in a time at a pace, and the time that work takes, rounded up.
Microseconds work_in(Microseconds time, Pace pace);
Microseconds time_for(Microseconds work, Pace pace);

class Colocation {
 public:
  Colocation(std::size_t cards, int percent_each) : cards_(cards), percent_(percent_each) {}

  // `job` is on these cards now, or no longer. Both return who else is there.
  std::vector<std::size_t> join(std::size_t job, const std::vector<int>& cards, int load_percent);
  std::vector<std::size_t> leave(std::size_t job, const std::vector<int>& cards);
  Pace pace_on(const std::vector<int>& cards) const;

 private:
  struct Tenancy {
    std::size_t job = 0;
    int load_percent = 0;
  };
  std::vector<std::size_t> beside(std::size_t job, const std::vector<int>& cards) const;

  std::vector<std::vector<Tenancy>> cards_;
  int percent_;
};

// What a grant does to its cards; a job that declared no share is taken to load them by half.
int load_of(const Grant& grant);

}  // namespace gpusched::replay
