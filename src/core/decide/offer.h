// What a pass may still hand out, and what of it the reservation leaves. One place works it out.
#pragma once

#include <cstddef>
#include <optional>

#include "core/admit/admission.h"
#include "core/admit/tentative.h"
#include "core/backfill/backfill.h"
#include "core/state/pending.h"
#include "core/state/state_view.h"

namespace gpusched {

class Offer {
 public:
  // REQUIRES: both outlive the offer. `free` changes with what is handed out, `reservation` with
  // what is reserved.
  Offer(const StateView& state, const Tentative& free, std::optional<ReservedStart>& reserved,
        Now now);

  // Something was handed out.
  void refresh();
  // The first job that does not fit gets the reservation.
  void reserve_for_first(const Job& job);
  const ReservedStart* reserved() const { return reserved_ ? &*reserved_ : nullptr; }

  // Neither a card nor a CPU is left.
  bool exhausted() const;
  // No card can take the walk's shape, and nothing but a card will do.
  bool fits_nowhere(const PendingWalk& walk) const { return fits_nowhere(walk, room_); }
  // The walk's job would have to take what the reservation needs, at the time it needs it. False
  // where cards are reserved: the job may own a reservation.
  bool fits_only_by_delaying(const PendingWalk& walk, const Job& job) const;
  // Leaves shapes behind that need no closer look, at most so many; returns how many. REQUIRES: a
  // reservation, so the first that waits has been met.
  std::size_t skip_hopeless(PendingWalk& walk, std::size_t most) const;

 private:
  bool fits_nowhere(const PendingWalk& walk, const BestRoom& room) const;

  const StateView& state_;
  const Tentative& free_;
  std::optional<ReservedStart>& reserved_;
  Now now_;
  BestRoom room_;
  BestRoom beside_;  // Of it, what the reservation leaves.
};

}  // namespace gpusched
