// Pressure: jobs that share a card and together take more than sharing may hand out, although their
// holds said otherwise, or will in a moment by the pace at which they grow. The youngest job of the
// lowest band that may be moved aside is, before the card runs out. That takes as long as its
// memory takes to copy, so the other jobs that grow stand still until it has gone. A job alone is
// never under pressure.
#pragma once

#include <optional>
#include <vector>

#include "core/state/state_view.h"

namespace gpusched {

// Data, like every decision: who goes, from which card, and what was seen there.
struct Evict {
  JobId job{};
  CardNumber card{};
  std::uint64_t observed_bytes = 0;
  std::uint64_t ceiling_bytes = 0;
};
// Who is stopped for a moment, and for whose leaving of which card.
struct StandStill {
  JobId job{};
  CardNumber card{};
  JobId leaves{};
};

// Jobs that share the card have it fuller than may be shared, as `view` shows it.
bool under_pressure(const StateView& state, std::size_t card_index, const CardView& view);
// The same, or it will be full before anybody could do something about it.
bool is_pressed(const StateView& state, std::size_t card_index);
// When a card that is shared would be full if everybody went on as now; nullopt: nothing grows.
std::optional<Microseconds> time_to_full(const StateView& state, std::size_t card_index);
// A second is long there: it will be full soon, or may be as those go on that stood still.
bool wants_close_looks(const StateView& state, std::size_t card_index, Now now);

// One per card at most; nothing while somebody is on its way out there already.
std::vector<Evict> relieve(const StateView& state, Now now);
// Of a card under pressure that somebody leaves, or will by one of `leaving`: whoever else grows
// there. Nobody stands still for nothing: a stop frees no memory.
std::vector<StandStill> hold_growing(const StateView& state, const std::vector<Evict>& leaving,
                                     Now now);
// They still hold for the state they are applied to.
bool still_valid(const StateView& state, const Evict& evict, Now now);
bool still_valid(const StateView& state, const StandStill& stop, Now now);

// Of one that left under pressure: those who stayed have stopped growing, so its return does not
// bring the pressure back.
bool neighbours_are_calm(const StateView& state, const Job& job, Now now);
// Of one that stands still: nobody leaves its cards any more, or takes too long over it.
bool may_go_on(const StateView& state, const Job& job, Now now);

}  // namespace gpusched
