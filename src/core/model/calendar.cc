#include "core/model/calendar.h"

#include "core/model/card_rules.h"

namespace gpusched {
namespace {

constexpr Seconds kDay{86'400};
// 1970-01-01 was a Thursday.
constexpr int kFirstWeekday = 4;

std::vector<std::string> kept_free(const CalendarRule& rule, const std::vector<Card>& cards) {
  std::vector<std::string> uuids;
  int left = rule.most;
  for (const Card& card : cards) {
    if (!card.managed) continue;
    if (rule.most >= 0 ? left-- <= 0 : is_in(card, rule.free)) uuids.push_back(card.uuid);
  }
  return uuids;
}

}  // namespace

std::vector<Reservation> reservations_of(const Calendar& calendar, const std::vector<Card>& cards,
                                         Wall now, int days, Seconds (*offset_at)(Wall)) {
  std::vector<Reservation> reservations;
  const Wall local_now = now + offset_at(now);
  const auto today = std::chrono::floor<std::chrono::days>(local_now.time_since_epoch()).count();
  for (auto day = today - 1; day <= today + days; ++day) {
    const auto weekday = static_cast<unsigned>(((day + kFirstWeekday) % 7 + 7) % 7);
    for (const CalendarRule& rule : calendar) {
      if ((rule.weekdays >> weekday & 1U) == 0) continue;
      // The clock's offset is that of the hour itself: it may change in between.
      const auto at = [&](Seconds since_midnight) {
        const Wall local{kDay * day + since_midnight};
        return local - offset_at(local - offset_at(local));
      };
      Reservation reservation;
      reservation.from = at(rule.from);
      reservation.until = at(rule.until > rule.from ? rule.until : rule.until + kDay);
      reservation.cards = kept_free(rule, cards);
      if (reservation.until > now && !reservation.cards.empty())
        reservations.push_back(std::move(reservation));
    }
  }
  return reservations;
}

}  // namespace gpusched
