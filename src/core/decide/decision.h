// What a turn decides, as data.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/backfill/backfill.h"
#include "core/model/job.h"
#include "core/preempt/preempt.h"
#include "core/preempt/pressure.h"
#include "core/preempt/resume.h"

namespace gpusched {

struct Start {
  JobId job{};
  Grant grant;
};
using Decision = std::variant<Start, Evict, StandStill, Preempt, Resume>;

// Room that is free and that others do not get: of a job that is aside and returns, or of one
// for which room is made.
struct KeptPlace {
  JobId job{};
  // It goes before the waiting jobs of twice this band rank, and later ones (preempt/resume.h).
  int before = 0;
  Grant grant;  // Of one that waits; who is aside has its own.
};

struct Decided {
  std::vector<Decision> decisions;        // In the order in which they were made.
  std::optional<ReservedStart> reserved;  // For the first job that has to wait.
  std::vector<KeptPlace> kept;
};

}  // namespace gpusched
