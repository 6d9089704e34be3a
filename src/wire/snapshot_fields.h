// What the writer and the reader of snapshots share, so that neither knows a field that the other
// does not.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include "core/model/card_view.h"
#include "core/model/move_rates.h"
#include "core/model/rules.h"

namespace gpusched {

inline constexpr std::array kConditionNames = {"unseen", "ok", "unknown", "asleep", "gone"};

inline std::int64_t number_in(const Seconds& value) { return value.count(); }
inline std::int64_t number_in(const Microseconds& value) { return value.count(); }
inline std::int64_t number_in(std::integral auto value) { return static_cast<std::int64_t>(value); }
inline std::int64_t number_in(Placement value) { return static_cast<std::int64_t>(value); }
inline void set_number(Placement& value, std::uint64_t number) {
  value = number > 2 ? Placement::kPack : static_cast<Placement>(number);
}
inline std::int64_t number_in(Preemption value) { return static_cast<std::int64_t>(value); }
inline void set_number(Preemption& value, std::uint64_t number) {
  value = number > 2 ? Preemption::kOff : static_cast<Preemption>(number);
}
inline std::int64_t number_in(ForeignLoad value) { return static_cast<std::int64_t>(value); }
inline void set_number(ForeignLoad& value, std::uint64_t number) {
  value = number == 1 ? ForeignLoad::kIgnore : ForeignLoad::kWait;
}
inline void set_number(Seconds& value, std::uint64_t number) {
  value = Seconds{static_cast<std::int64_t>(number)};
}
inline void set_number(Microseconds& value, std::uint64_t number) {
  value = Microseconds{static_cast<std::int64_t>(number)};
}
template <std::integral T>
void set_number(T& value, std::uint64_t number) {
  value = static_cast<T>(number);
}

// How fast a card's memory moves, as its own moves have shown.
template <class Visit>
void for_each_move_number(MoveRates& rates, Visit visit) {
  visit("move_out_bytes_per_s", rates.out.bytes_per_s);
  visit("move_out_fixed_us", rates.out.fixed);
  visit("moves_out", rates.out.moves);
  visit("move_back_bytes_per_s", rates.back.bytes_per_s);
  visit("move_back_fixed_us", rates.back.fixed);
  visit("moves_back", rates.back.moves);
}

// The rules that a decision reads.
template <class Visit>
void for_each_rule(Rules& rules, Visit visit) {
  visit("placement", rules.placement);
  visit("headroom_bytes_least", rules.headroom_bytes_least);
  visit("headroom_percent", rules.headroom_percent);
  visit("share_cap_percent", rules.share_cap_percent);
  visit("sharing", rules.sharing);
  visit("foreign_load", rules.foreign_load);
  visit("undeclared_free_percent", rules.undeclared_free_percent);
  visit("cards_expected", rules.cards_expected);
  visit("overdue_after_s", rules.overdue_after);
  visit("deadline_slack_s", rules.deadline_slack);
  visit("usage_half_life_s", rules.usage_half_life);
  visit("shapes_scanned_most", rules.shapes_scanned_most);
  visit("preemption", rules.preemption);
  visit("room_distance", rules.room.distance);
  visit("room_run_least_s", rules.room.run_least);
  visit("room_cool_down_s", rules.room.cool_down);
  visit("room_moves_most", rules.room.moves_most);
  visit("room_aside_most_s", rules.room.aside_most);
  visit("room_timeshare", rules.room.timeshare);
  visit("room_idle_after_s", rules.room.idle_after);
  visit("room_return_on_use", rules.room.return_on_use);
  visit("room_over_quota", rules.room.over_quota);
  visit("room_ram_reserve_bytes", rules.room.ram_reserve_bytes);
}

}  // namespace gpusched
