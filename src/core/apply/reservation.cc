// Advance reservations: made, taken back, over.
#include <algorithm>

#include "core/apply/transitions.h"
#include "core/model/card_rules.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

const Reservation* overlapping(const StateView& state, const std::string& uuid, Wall from,
                               Wall until) {
  for (const auto& [id, reservation] : state.reservations()) {
    const bool there = std::ranges::find(reservation.cards, uuid) != reservation.cards.end();
    if (there && reservation.from < until && reservation.until > from) return &reservation;
  }
  return nullptr;
}

// Somebody is on the card who may still be there when the reservation begins.
bool occupied_at(const StateView& state, const Card& card, Wall from, Now now) {
  return std::ranges::any_of(state.active(), [&](JobId id) {
    const Job& job = *state.find(id);
    return given_on(job, card.number) != nullptr &&
           end_of(state, job, now, Trust::kEstimates) > from;
  });
}

// The named cards, or as many as asked for: free ones first, then by number.
std::variant<std::vector<std::string>, Refusal> choose_cards(const StateView& state,
                                                             const ReserveAsked& asked, Now now) {
  std::vector<std::string> chosen;
  const Reservation& wish = asked.reservation;
  for (const Card& card : state.cards()) {
    if (!is_in(card, asked.cards)) continue;
    if (const Reservation* other = overlapping(state, card.uuid, wish.from, wish.until)) {
      return Refusal{RefusalKind::kConflict, "card " + std::to_string(number_of(card.number)) +
                                                 " is in reservation " + std::to_string(other->id) +
                                                 " at that time"};
    }
    chosen.push_back(card.uuid);
  }
  for (const CardNumber number : asked.cards.numbers) {
    if (state.index_of(number)) continue;
    return Refusal{RefusalKind::kNotFound, "there is no card " + std::to_string(number_of(number))};
  }
  for (const std::string& name : asked.cards.names) {
    if (!cards_named(state.cards(), name).empty()) continue;
    return Refusal{RefusalKind::kNotFound, "no card here has the alias or tag '" + name + "'"};
  }
  for (const bool occupied : {false, true}) {
    for (const Card& card : state.cards()) {
      if (static_cast<int>(chosen.size()) >= asked.count) break;
      const bool known = std::ranges::find(chosen, card.uuid) != chosen.end();
      if (known || !card.managed || overlapping(state, card.uuid, wish.from, wish.until)) continue;
      if (occupied_at(state, card, wish.from, now) == occupied) chosen.push_back(card.uuid);
    }
  }
  if (static_cast<int>(chosen.size()) < asked.count || chosen.empty()) {
    return Refusal{RefusalKind::kConflict, "only " + std::to_string(chosen.size()) + " of the " +
                                               std::to_string(asked.count) +
                                               " cards are not reserved at that time"};
  }
  return chosen;
}

std::optional<Refusal> refuse_reservation(const StateView& state, const ReserveAsked& asked,
                                          Now now) {
  const Reservation& wish = asked.reservation;
  const bool open = state.rules().users_may_reserve;
  Subject whom;
  if (!asked.maintenance && wish.tenant.empty()) {
    whom.user = wish.user.empty() ? asked.actor.user : wish.user;
  }
  if (!may(asked.actor, Action::kReserve, whom, open)) {
    return Refusal{RefusalKind::kForbidden,
                   "only " + std::string(who_may(Action::kReserve)) +
                       (open ? " may reserve cards for others"
                             : " may reserve cards (scheduling.users_may_reserve is off)")};
  }
  if (wish.until <= wish.from) {
    return Refusal{RefusalKind::kInvalid, "a reservation must last for some time"};
  }
  if (wish.until <= now.wall) {
    return Refusal{RefusalKind::kInvalid, "that time is over already"};
  }
  if (asked.cards.empty() && asked.count <= 0) {
    return Refusal{RefusalKind::kInvalid, "no card is named"};
  }
  if (state.reservations().size() >= kReservationsMost) {
    return Refusal{RefusalKind::kConflict, "there are too many reservations already"};
  }
  return std::nullopt;
}

}  // namespace

Applied apply_reserve(State& state, const ReserveAsked& asked, Now now) {
  if (auto refusal = refuse_reservation(state, asked, now)) return refused(std::move(*refusal));
  auto cards = choose_cards(state, asked, now);
  if (auto* refusal = std::get_if<Refusal>(&cards)) return refused(std::move(*refusal));
  Reservation reservation = asked.reservation;
  reservation.id = state.next_reservation();
  reservation.by = asked.actor.user;
  if (!asked.maintenance && reservation.maintenance()) reservation.user = asked.actor.user;
  reservation.cards = std::move(std::get<std::vector<std::string>>(cards));
  ReservationChanged changed{reservation};
  state.put(std::move(reservation));
  return {.answer = std::move(changed), .effects = {}, .follow_up = {}};
}

Applied apply_unreserve(State& state, const UnreserveAsked& asked) {
  const auto found = state.reservations().find(asked.id);
  if (found == state.reservations().end()) {
    return refused(RefusalKind::kNotFound, "there is no reservation " + std::to_string(asked.id));
  }
  const Reservation& reservation = found->second;
  const bool allowed = may(asked.actor, Action::kUnreserve, {.user = reservation.user}) ||
                       may(asked.actor, Action::kUnreserve, {.user = reservation.by});
  if (!allowed) {
    return refused(RefusalKind::kForbidden,
                   "reservation " + std::to_string(asked.id) + " belongs to somebody else");
  }
  ReservationChanged removed{reservation};
  state.remove_reservation(asked.id);
  return {.answer = std::move(removed), .effects = {}, .follow_up = {}};
}

void end_reservations(State& state, Now now) {
  std::vector<std::uint64_t> over;
  for (const auto& [id, reservation] : state.reservations()) {
    if (reservation.until <= now.wall) over.push_back(id);
  }
  for (const std::uint64_t id : over) state.remove_reservation(id);
}

}  // namespace gpusched
