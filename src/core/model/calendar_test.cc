#include "core/model/calendar.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

constexpr Seconds kHour{3600};
// Thursday, 1970-01-01 00:00.
Wall hour(int hours) { return Wall{kHour * hours}; }
Seconds utc(Wall) { return Seconds{0}; }
Seconds two_east(Wall) { return 2 * kHour; }

TEST(Calendar, KeepsCardsFreeAtTheHoursOfItsDays) {
  const State state = machine(3, 24);
  const Calendar calendar = {
      {.weekdays = 1U << 5, .from = 9 * kHour, .until = 18 * kHour, .free = {{CardNumber{1}}, {}}}};
  const auto reservations = reservations_of(calendar, state.cards(), hour(0), 7, utc);
  ASSERT_EQ(reservations.size(), 1u);
  EXPECT_EQ(reservations[0].from, hour(24 + 9));
  EXPECT_EQ(reservations[0].until, hour(24 + 18));
  EXPECT_EQ(reservations[0].cards, std::vector<std::string>{"GPU-1"});
  EXPECT_TRUE(reservations[0].maintenance());
}

TEST(Calendar, ACapLeavesTheFirstCardsAndNightsReachIntoTheNextDay) {
  const State state = machine(3, 24);
  const Calendar calendar = {
      {.weekdays = 0x7F, .from = 22 * kHour, .until = 6 * kHour, .free = {}, .most = 1}};
  const auto reservations = reservations_of(calendar, state.cards(), hour(3), 0, utc);
  ASSERT_EQ(reservations.size(), 2u);
  EXPECT_EQ(reservations[0].from, hour(-2));
  EXPECT_EQ(reservations[0].until, hour(6));
  EXPECT_EQ(reservations[1].from, hour(22));
  EXPECT_EQ(reservations[0].cards, (std::vector<std::string>{"GPU-1", "GPU-2"}));
}

TEST(Calendar, HoursAreLocal) {
  const State state = machine(1, 24);
  const Calendar calendar = {
      {.weekdays = 0x7F, .from = 9 * kHour, .until = 10 * kHour, .free = {{CardNumber{0}}, {}}}};
  const auto reservations = reservations_of(calendar, state.cards(), hour(0), 0, two_east);
  ASSERT_EQ(reservations.size(), 1u);
  EXPECT_EQ(reservations[0].from, hour(7));
}

}  // namespace
}  // namespace gpusched::testing
