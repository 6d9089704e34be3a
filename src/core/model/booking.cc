#include "core/model/booking.h"

#include <algorithm>

namespace gpusched {

void CardBookings::rebuild(const std::vector<Card>& cards, std::vector<Booking> bookings) {
  bookings_ = std::move(bookings);
  std::ranges::stable_sort(bookings_, {}, &Booking::from);
  by_card_.assign(cards.size(), {});
  boundaries_.clear();
  ends_.clear();
  for (std::size_t at = 0; at < bookings_.size(); ++at) {
    const Booking& booking = bookings_[at];
    boundaries_.push_back(booking.from);
    boundaries_.push_back(booking.until);
    ends_.push_back(booking.until);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const auto& named = booking.cards;
      if (std::ranges::find(named, cards[i].uuid) != named.end()) by_card_[i].push_back(at);
    }
  }
  for (auto* list : {&boundaries_, &ends_}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
}

const Booking* CardBookings::against(const Job& job, std::size_t card_index, Wall from,
                                     Wall until) const {
  if (card_index >= by_card_.size()) return nullptr;
  for (const std::size_t at : by_card_[card_index]) {
    const Booking& booking = bookings_[at];
    if (booking.from >= until) break;
    if (booking.until > from && !booking.admits(job)) return &booking;
  }
  return nullptr;
}

bool CardBookings::kept_for(const Job& job, std::size_t card_index, Wall at) const {
  if (card_index >= by_card_.size()) return false;
  return std::ranges::any_of(by_card_[card_index], [&](std::size_t which) {
    const Booking& booking = bookings_[which];
    return booking.from <= at && at < booking.until && booking.admits(job);
  });
}

std::optional<Wall> CardBookings::next_change(Wall at) const {
  const auto next = std::ranges::upper_bound(boundaries_, at);
  if (next == boundaries_.end()) return std::nullopt;
  return *next;
}

std::vector<Wall> CardBookings::ends_after(Wall at) const {
  return {std::upper_bound(ends_.begin(), ends_.end(), at), ends_.end()};
}

std::string describe_booking(const Booking& booking, const std::vector<Card>& cards, Wall now) {
  std::string numbers;
  int named = 0;
  for (const Card& card : cards) {
    if (std::ranges::find(booking.cards, card.uuid) == booking.cards.end()) continue;
    numbers += (named++ > 0 ? ", " : "") + std::to_string(number_of(card.number));
  }
  std::string text = (named == 1 ? "card " : "cards ") + numbers + (named == 1 ? " is" : " are");
  if (booking.id == 0) {
    text += " kept free by the calendar";
  } else if (booking.maintenance()) {
    text += " out of service";
  } else {
    text += " reserved for " + (booking.user.empty() ? booking.tenant : booking.user);
  }
  if (!booking.name.empty()) text += " (" + booking.name + ")";
  const bool begun = booking.from <= now;
  const auto minutes =
      std::chrono::ceil<std::chrono::minutes>((begun ? booking.until : booking.from) - now).count();
  const std::string length =
      minutes < 120 ? std::to_string(minutes) + " min" : std::to_string(minutes / 60) + " h";
  return text + (begun ? " for another " : " in ") + length;
}

}  // namespace gpusched
