// The scheduling decision: one pure function from what is known to what to do. No clock, file,
// lock, log or random source is reachable from here, so the daemon, the simulator and every test
// run exactly the same code.
//
//   order (Pending) -> limits (group, array, quota) -> fit and place (admission, placement)
//                   -> or make room for it -> reserve for the first that does not fit
//                   -> go on behind it; who was moved aside returns before those of its band
//
// A turn looks at the first job of each shape, and at no more than Rules::shapes_scanned_most
// shapes: with more distinct needs than that in the queue, the rest waits for the next turn.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/admit/tentative.h"
#include "core/backfill/backfill.h"
#include "core/model/job.h"
#include "core/preempt/preempt.h"
#include "core/preempt/pressure.h"
#include "core/preempt/resume.h"
#include "core/state/state.h"

namespace gpusched {

struct Start {
  JobId job{};
  Grant grant;
};
using Decision = std::variant<Start, Evict, StandStill, MakeRoom, Return>;

// Room that is free and that others do not get: of a job that is aside and comes back, or of one
// for which room is made.
struct KeptPlace {
  JobId job{};
  int before =
      0;        // The waiting jobs of twice this band rank, and later ones (core/preempt/resume.h).
  Grant grant;  // Of one that waits; who is aside has its own.
};

struct Decided {
  std::vector<Decision> decisions;         // In the order in which they were made.
  std::optional<Reservation> reservation;  // For the first job that has to wait.
  std::vector<KeptPlace> kept;
};
// What is left of the state's room for the waiting jobs of a band.
Tentative left_beside(const State& state, const std::vector<KeptPlace>& kept, int band);

Decided decide(const State& state, Now now);

// Decisions are re-checked against the state they are applied to: true if it still holds.
bool still_valid(const State& state, const Start& start, Now now);

// Why a limit keeps a job from starting although there is room.
enum class Limited { kNo, kMachine, kGroup, kArray, kGuard, kQuota, kDisk };
Limited limited(const State& state, const Tentative& free, const Job& job, Now now);

}  // namespace gpusched
