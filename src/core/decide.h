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

#include "core/comeback.h"
#include "core/job.h"
#include "core/make_room.h"
#include "core/pressure.h"
#include "core/reservation.h"
#include "core/state.h"

namespace gpusched {

struct Start {
  JobId job{};
  Grant grant;
};
using Decision = std::variant<Start, Evict, StandStill, MakeRoom, Return>;

struct Decided {
  std::vector<Decision> decisions;         // In the order in which they were made.
  std::optional<Reservation> reservation;  // For the first job that has to wait.
};

Decided decide(const State& state, Now now);

// Decisions are re-checked against the state they are applied to: true if it still holds.
bool still_valid(const State& state, const Start& start, Now now);

// Why a limit keeps a job from starting although there is room.
enum class Limited { kNo, kMachine, kGroup, kArray, kGuard, kQuota, kDisk };
Limited limited(const State& state, const Tentative& free, const Job& job, Now now);

}  // namespace gpusched
