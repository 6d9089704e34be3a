// How a question about a span of time is answered: from which tier, and in what steps. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "history/block.h"
#include "history/metrics.h"
#include "history/series.h"
#include "history/tiers.h"

namespace gpusched::history {

// More would make an answer that nobody can draw.
inline constexpr std::size_t kPointsMost = 4'000;

struct Plan {
  std::size_t tier = 0;
  Wall from{};  // A multiple of the step, so that a chart does not tremble from look to look.
  Wall to{};    // After the last step.
  Seconds step{1};

  std::size_t points() const { return static_cast<std::size_t>((to - from) / step); }
};

// Takes the coarsest tier that is fine enough, which reads the fewest rows, and a coarser one if
// that does not reach back far enough. `now` is the newest time there is.
Plan plan_of(const Question& question, const Tiers& tiers, Wall now);

// What one card or attempt did, gathered block by block.
class Gathering {
 public:
  Gathering(const Plan& plan, std::span<const Metric> metrics);
  void add(const Block& block);
  std::vector<Series> series() const;
  bool empty() const { return empty_; }

 private:
  Plan plan_;
  std::span<const Metric> metrics_;
  std::vector<Cell> cells_;  // Metric by metric.
  bool empty_ = true;
};

}  // namespace gpusched::history
