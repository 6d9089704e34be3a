// Cards that are kept free at certain hours of the week (`scheduling.calendar`), worked out as
// reservations for the time ahead. Hours are local; whoever calls says what local means.
#pragma once

#include <string>
#include <vector>

#include "core/model/needs.h"
#include "core/model/reservation.h"

namespace gpusched {

struct CalendarRule {
  unsigned weekdays = 0;      // One bit each, Sunday is 1.
  Seconds from{0}, until{0};  // Since midnight; an earlier end is on the next day.
  CardList free;              // Cards that jobs do not get then, or
  int most = -1;              // how many jobs may have: the others, from the last on, are free.
  friend bool operator==(const CalendarRule&, const CalendarRule&) = default;
};
using Calendar = std::vector<CalendarRule>;

// From the day before `now` to `days` after it. `offset_at`: local time minus UTC.
std::vector<Reservation> reservations_of(const Calendar& calendar, const std::vector<Card>& cards,
                                         Wall now, int days, Seconds (*offset_at)(Wall));

}  // namespace gpusched
