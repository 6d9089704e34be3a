// What it costs to stop a job and to start it again.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "replay/trace.h"

namespace gpusched::replay {

enum class CostKind {
  kNone,    // Nothing.
  kHonest,  // Charged to a job when it is stopped or moved, by model where that is known.
  kMuri,    // As in Muri's simulator: charged to every running job at every event.
  kHelios,  // As in Helios' simulator: 7, 30 or 60 s by size, when a job is stopped.
};

// Seconds by model and number of cards.
class RestartCosts {
 public:
  // What Muri's authors measured.
  static RestartCosts built_in();
  // Rows by num_gpu, a column for each model.
  static Result<RestartCosts> parse(std::string_view text);
  // 10 s for what the table does not have.
  Microseconds of(const TraceJob& job) const;

 private:
  std::map<std::pair<std::string, int>, Microseconds, std::less<>> costs_;
};

struct CostModel {
  CostKind kind = CostKind::kNone;
  bool by_model = false;  // Else by size alone, as Helios does.
  RestartCosts costs;
  Microseconds of(const TraceJob& job) const;
};

}  // namespace gpusched::replay
