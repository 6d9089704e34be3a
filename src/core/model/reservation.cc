#include "core/model/reservation.h"

#include <algorithm>

namespace gpusched {

void CardReservations::rebuild(const std::vector<Card>& cards,
                               std::vector<Reservation> reservations) {
  reservations_ = std::move(reservations);
  std::ranges::stable_sort(reservations_, {}, &Reservation::from);
  by_card_.assign(cards.size(), {});
  boundaries_.clear();
  ends_.clear();
  for (std::size_t at = 0; at < reservations_.size(); ++at) {
    const Reservation& reservation = reservations_[at];
    boundaries_.push_back(reservation.from);
    boundaries_.push_back(reservation.until);
    ends_.push_back(reservation.until);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const auto& named = reservation.cards;
      if (std::ranges::find(named, cards[i].uuid) != named.end()) by_card_[i].push_back(at);
    }
  }
  for (auto* list : {&boundaries_, &ends_}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
}

const Reservation* CardReservations::against(const Job& job, std::size_t card_index, Wall from,
                                             Wall until) const {
  if (card_index >= by_card_.size()) return nullptr;
  for (const std::size_t at : by_card_[card_index]) {
    const Reservation& reservation = reservations_[at];
    if (reservation.from >= until) break;
    if (reservation.until > from && !reservation.admits(job)) return &reservation;
  }
  return nullptr;
}

bool CardReservations::kept_for(const Job& job, std::size_t card_index, Wall at) const {
  if (card_index >= by_card_.size()) return false;
  return std::ranges::any_of(by_card_[card_index], [&](std::size_t which) {
    const Reservation& reservation = reservations_[which];
    return reservation.from <= at && at < reservation.until && reservation.admits(job);
  });
}

std::optional<Wall> CardReservations::next_change(Wall at) const {
  const auto next = std::ranges::upper_bound(boundaries_, at);
  if (next == boundaries_.end()) return std::nullopt;
  return *next;
}

std::vector<Wall> CardReservations::ends_after(Wall at) const {
  return {std::upper_bound(ends_.begin(), ends_.end(), at), ends_.end()};
}

std::string describe_reservation(const Reservation& reservation, const std::vector<Card>& cards,
                                 Wall now) {
  std::string numbers;
  int named = 0;
  for (const Card& card : cards) {
    if (std::ranges::find(reservation.cards, card.uuid) == reservation.cards.end()) continue;
    numbers += (named++ > 0 ? ", " : "") + std::to_string(number_of(card.number));
  }
  std::string text = (named == 1 ? "card " : "cards ") + numbers + (named == 1 ? " is" : " are");
  if (reservation.id == 0) {
    text += " kept free by the calendar";
  } else if (reservation.maintenance()) {
    text += " out of service";
  } else {
    text += " reserved for " + (reservation.user.empty() ? reservation.tenant : reservation.user);
  }
  if (!reservation.name.empty()) text += " (" + reservation.name + ")";
  const bool begun = reservation.from <= now;
  const auto minutes =
      std::chrono::ceil<std::chrono::minutes>((begun ? reservation.until : reservation.from) - now)
          .count();
  const std::string length =
      minutes < 120 ? std::to_string(minutes) + " min" : std::to_string(minutes / 60) + " h";
  return text + (begun ? " for another " : " in ") + length;
}

}  // namespace gpusched
