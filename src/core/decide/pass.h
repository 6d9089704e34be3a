// One pass through the queue in order.
#pragma once

#include <cstdint>
#include <optional>

#include "core/admit/tentative.h"
#include "core/decide/decision.h"
#include "core/decide/offer.h"
#include "core/decide/returns.h"
#include "core/decide/room_maker.h"
#include "core/share/fair_share.h"
#include "core/state/pending.h"
#include "core/state/state_view.h"

namespace gpusched {

// What became of the job that was looked at.
enum class Step : std::uint8_t {
  kStarted,
  kRoomMade,      // Others are moved aside for it.
  kDoneBefore,    // It was started, or room was made for it, by an earlier pass of this turn.
  kReserved,      // It does not fit. It is the first, so what it needs is kept free.
  kLeaveShape,    // It cannot start now, and neither can others of its shape.
  kLeaveToQuota,  // Its tenant's quota stops it, and whatever else the same quota stops.
};

class Pass {
 public:
  // What earlier passes of this turn have handed out is in `free` and `decided`.
  Pass(const StateView& state, const Standings& standings, Tentative& free, Decided& decided,
       Returns& returns, RoomMaker& rooms, Now now);

  // Looks at the next job in order. Nullopt: the pass is over.
  std::optional<Step> next();
  // To the end. True if something passed the reservation: what is left may then be planned
  // differently, so the queue is looked at again.
  bool run();

 private:
  Step consider(const Job& job, bool claimed, bool can_make_room);
  void start(const Job& job, Grant grant);
  void go_on_after(Step step, const Job& job);
  void leave_to_quota(const Job& job);

  const StateView& state_;
  Tentative& free_;
  Decided& decided_;
  Returns& returns_;
  RoomMaker& rooms_;
  Now now_;
  PendingWalk walk_;
  Offer offer_;
  std::size_t left_behind_ = 0;  // Shapes.
  bool passed_by_ = false;
  bool closely_ = true;  // A job that comes next may get what is not free now.
};

}  // namespace gpusched
