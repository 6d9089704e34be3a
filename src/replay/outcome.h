// What a replay saw: when each job ran and where. Measures, tables and plots are made from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/time.h"

namespace gpusched::replay {

struct JobOutcome {
  std::optional<Microseconds> first_start;
  Microseconds end{0};
  Microseconds on_cards{0};  // Costs of being stopped included.
  int preemptions = 0;
  bool cut = false;                             // Ended by its own time limit.
  std::optional<Microseconds> predicted_start;  // As first said.
};

// A job on the same cards, from start to end.
struct Stretch {
  std::size_t job = 0;
  Microseconds start{0};
  Microseconds end{0};
  std::vector<int> cards;  // Numbered through all nodes.
  double part = 1;         // Of each card.
};

struct Outcome {
  std::vector<JobOutcome> jobs;  // As in the trace.
  std::vector<Stretch> stretches;
  int nodes = 1;
  int cards = 0;
  double lost_card_seconds = 0;  // Spent on stopping and starting.
};

// Called now and then with the part of the jobs that has ended.
using Progress = void (*)(double part);
// Asked now and then; once it says true, and so ever after, a replay ends without a result.
using GiveUp = std::function<bool()>;

}  // namespace gpusched::replay
