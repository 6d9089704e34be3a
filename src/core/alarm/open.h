// What is on, and what is not told: the rows that a look begins with.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "core/model/alarm.h"

namespace gpusched {

struct AlarmsOpen {
  const std::map<AlarmKey, Alarm>& alarms;
  const std::map<std::uint64_t, Silence>& silences;
};

// The row that remembers when a report was sent; it is no alarm.
inline constexpr std::string_view kLastReport = "last";
// Not of one card, tenant or job.
inline constexpr std::string_view kTheMachine = "the machine";

// Whether it is an alarm, for those who list them.
inline bool is_alarm(const Alarm& alarm) { return alarm.key.subject != kLastReport; }

}  // namespace gpusched
