#include "core/decide/offer.h"

#include "core/state/belief.h"

namespace gpusched {

Offer::Offer(const StateView& state, const Tentative& free, std::optional<ReservedStart>& reserved,
             Now now)
    : state_(state), free_(free), reserved_(reserved), now_(now) {
  refresh();
}

void Offer::refresh() {
  room_ = best_room(state_.cards(), free_.cards, state_.rules());
  beside_ = reserved_ ? room_beside(state_, free_, *reserved_) : room_;
}

void Offer::reserve_for_first(const Job& job) {
  reserved_ = reserve_start_for(state_, free_, job, now_);
  beside_ = room_beside(state_, free_, *reserved_);
}

bool Offer::exhausted() const { return room_.none() && free_.host.cpus >= state_.host().cpus; }

bool Offer::fits_nowhere(const PendingWalk& walk, const BestRoom& room) const {
  if (!walk.needs_card()) return false;
  if (exceeds(walk.card_ask(), room)) return true;
  // Alone somewhere, a belief keeps no job from starting.
  if (!walk.card_ask().by_history || room.alone_bytes > 0) return false;
  return exceeds(card_ask_now(state_, walk.shape().key), room);
}

bool Offer::fits_only_by_delaying(const PendingWalk& walk, const Job& job) const {
  return reserved_ && state_.card_reservations().empty() && fits_nowhere(walk, beside_) &&
         !over_by(state_, *reserved_, job, now_);
}

std::size_t Offer::skip_hopeless(PendingWalk& walk, std::size_t most) const {
  const bool start_unknown = !reserved_->start;
  if (room_.none() || (beside_.none() && start_unknown)) walk.leave_cards();
  // Where nobody knows when the reserved job starts, nothing is over by then.
  const bool beside_it = start_unknown && state_.card_reservations().empty();
  const BestRoom& offered = beside_it ? beside_ : room_;
  return walk.leave_while([&](const CardAsk& ask) { return exceeds(ask, offered); }, most);
}

}  // namespace gpusched
