// One look at the machine by the rules of alarms: what is raised, what has changed, what is over,
// and who is told. Pure: equal input gives equal output. Durations are taken from boot time, so
// that a clock that jumps raises nothing and ends nothing.
#pragma once

#include "core/alarm/facts.h"
#include "core/alarm/memory.h"
#include "core/alarm/open.h"
#include "core/alarm/rule.h"
#include "core/model/alarm.h"

namespace gpusched {

AlarmChanges look(const AlarmRules& rules, const AlarmFacts& facts, AlarmMemory& memory,
                  const AlarmsOpen& open, Now now);

}  // namespace gpusched
