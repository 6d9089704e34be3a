#include "core/model/reservation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "core/explain/look_ahead.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;
const Principal kAdministrator{.uid = 0, .user = "root", .role = Role::kAdministrator};

ReserveAsked reserve(std::vector<int> cards, std::int64_t from, std::int64_t until,
                     std::string user = "user7") {
  ReserveAsked asked{.actor = kAdministrator, .reservation = {}, .cards = {}};
  for (const int card : cards) {
    asked.cards.numbers.push_back(CardNumber{static_cast<std::uint16_t>(card)});
  }
  asked.maintenance = user.empty();
  asked.reservation.user = std::move(user);
  asked.reservation.from = at_second(from).wall;
  asked.reservation.until = at_second(until).wall;
  return asked;
}
TEST(Reservation, OthersStartBeforeItOnlyIfTheyAreOverByThen) {
  State state = machine(1, 24);
  apply(state, reserve({0}, 1000, 2000), at_second(0));
  ask().submit(state, at_second(1));  // Nobody knows when it ends.
  ask().time(1500).submit(state, at_second(2));
  ask().time(900).submit(state, at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(4)), Jobs{3});
  finish(state, 3, 0, at_second(50));
  EXPECT_EQ(start_what_fits(state, at_second(50)), Jobs{});
  expect_reason(ReasonCode::kCardsReserved, reason_of(state, 1, at_second(50)));
  expect_helps({{Help::Kind::kShorterTime, 940, 0}}, reason_of(state, 1, at_second(50)));
}

TEST(Reservation, TheHoldersJobsStartInsideAndOthersAfterIt) {
  State state = machine(1, 24);
  apply(state, reserve({0}, 1000, 2000), at_second(0));
  ask().submit(state, at_second(1));
  ask().uid(7).submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(1000)), Jobs{2});
  finish(state, 2, 0, at_second(1500));
  EXPECT_EQ(start_what_fits(state, at_second(1500)), Jobs{});
  EXPECT_EQ(state.next_deadline(at_second(1500)), at_second(2000).boot);
  apply(state, TimePassed{}, at_second(2000));
  EXPECT_TRUE(state.reservations().empty());
  EXPECT_EQ(start_what_fits(state, at_second(2000)), Jobs{1});
}

TEST(Reservation, AGangWaitsForTheEndOfItAndIsNotDelayedMeanwhile) {
  State state = machine(2, 24);
  apply(state, reserve({1}, 10, 1000), at_second(0));
  ask().gpus(2).submit(state, at_second(20));
  ask().time(500).submit(state, at_second(21));
  ask().time(5000).submit(state, at_second(22));
  const Decided decided = decide(state, at_second(30));
  EXPECT_EQ(decided.reserved->start, at_second(1000).wall);
  EXPECT_EQ(start_what_fits(state, at_second(30)), Jobs{2});
  const Forecast forecast = look_ahead(excerpt_of(state, 100, at_second(30)));
  EXPECT_EQ(forecast.starts.at(JobId{1}).likely, at_second(1000).wall);
}

TEST(Reservation, SoManyCardsAreChosenFromThoseThatAreFreeThen) {
  State state = machine(3, 24);
  ask().submit(state, at_second(0));  // On card 0, nobody knows how long.
  start_what_fits(state, at_second(0));
  ReserveAsked two = reserve({}, 100, 200);
  two.count = 2;
  const auto booked = std::get<ReservationChanged>(apply(state, two, at_second(1)).answer);
  EXPECT_EQ(booked.reservation.cards, (std::vector<std::string>{"GPU-1", "GPU-2"}));
  expect_refused(RefusalKind::kConflict, apply(state, two, at_second(1)).answer);
  expect_refused(RefusalKind::kConflict, apply(state, reserve({1}, 150, 160), at_second(1)).answer);
}

TEST(Reservation, OnlyAdministratorsUnlessTheRuleSaysOtherwise) {
  State state = machine(1, 24);
  ReserveAsked own = reserve({0}, 100, 200, "user7");
  own.actor = {.uid = 7, .user = "user7"};
  EXPECT_FALSE(accepted(apply(state, own, at_second(0)).answer));
  Rules rules = state.rules();
  rules.users_may_reserve = true;
  state.set_rules(rules, {});
  EXPECT_TRUE(accepted(apply(state, own, at_second(0)).answer));
  ReserveAsked other = reserve({0}, 300, 400, "user8");
  other.actor = {.uid = 7, .user = "user7"};
  expect_refused(RefusalKind::kForbidden, apply(state, other, at_second(0)).answer);
  expect_refused(RefusalKind::kForbidden,
                 apply(state, UnreserveAsked{{.uid = 8, .user = "user8"}, 1}, at_second(0)).answer);
  EXPECT_TRUE(
      accepted(apply(state, UnreserveAsked{{.uid = 7, .user = "user7"}, 1}, at_second(0)).answer));
}

TEST(Reservation, MaintenanceAdmitsNobodyAndTheCalendarIsNotKept) {
  State state = machine(1, 24);
  apply(state, reserve({0}, 100, 200, ""), at_second(0));
  ask().uid(7).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(150)), Jobs{});
  expect_reason(ReasonCode::kCardsReserved, reason_of(state, 1, at_second(150)));
  state.keep_changes();
  state.set_calendar(
      {{.cards = {"GPU-0"}, .from = at_second(200).wall, .until = at_second(300).wall}});
  EXPECT_TRUE(state.changes().empty());
  apply(state, TimePassed{}, at_second(250));
  expect_reason(ReasonCode::kCardsReserved, reason_of(state, 1, at_second(250)));
  EXPECT_EQ(start_what_fits(state, at_second(300)), Jobs{1});
}

TEST(Reservation, AnUndoneTurnTakesItBack) {
  State state = machine(1, 24);
  apply(state, reserve({0}, 100, 200), at_second(0));
  state.roll_back(at_second(0));
  EXPECT_TRUE(state.reservations().empty());
  EXPECT_TRUE(state.card_reservations().empty());
}

// Whatever is submitted, no job of others with a limit is on a booked card in its time.
RC_GTEST_PROP(Reservation, NobodyElseIsThereInItsTime, ()) {
  State state = machine(2, 24);
  const auto from = *rc::gen::inRange<std::int64_t>(50, 500);
  const auto until = from + *rc::gen::inRange<std::int64_t>(1, 500);
  apply(state, reserve({*rc::gen::inRange(0, 2)}, from, until), at_second(0));
  std::vector<std::pair<std::int64_t, std::uint64_t>> ends;
  for (std::int64_t now = 0; now < 1200; now += 20) {
    std::erase_if(ends, [&](const auto& end) {
      if (end.first > now) return false;
      finish(state, end.second, 0, at_second(now));
      return true;
    });
    apply(state, TimePassed{}, at_second(now));
    const auto limit = *rc::gen::inRange<std::int64_t>(1, 400);
    Ask job = ask();
    if (*rc::gen::arbitrary<bool>()) job.gpus(*rc::gen::inRange(1, 3));
    if (*rc::gen::arbitrary<bool>()) job.vram(*rc::gen::inRange<std::uint64_t>(1, 24));
    if (*rc::gen::inRange(0, 4) > 0) job.time(limit);
    job.uid(*rc::gen::element(7u, 8u)).submit(state, at_second(now));
    for (const std::uint64_t id : start_what_fits(state, at_second(now))) {
      run(state, id, at_second(now));
      const Seconds most = state.find(JobId{id})->spec->time.limit;
      ends.emplace_back(now + (most > Seconds{0} ? most.count() : limit), id);
    }
    for (const auto& [id, reservation] : state.reservations()) {
      if (at_second(now).wall < reservation.from) continue;
      for (const JobId active : state.active()) {
        const Job& one = *state.find(active);
        for (const CardGrant& held : grant_of(one)->cards) {
          const std::string uuid = "GPU-" + std::to_string(number_of(held.card));
          RC_ASSERT(uuid != reservation.cards.front() || reservation.admits(one));
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpusched::testing
