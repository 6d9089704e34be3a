// What alarms are of, in the words by which people name it: "card 0", "user ml1". A silence that
// could never hit an alarm is a mistake, and told as one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/alarm/open.h"
#include "core/alarm/rule.h"
#include "core/state/state_view.h"

namespace gpusched {

// "card 0, card 1, …": how subjects of the rule look. Empty: it is no alarm.
std::string_view subjects_look_like(AlarmSubject subject);

// Why the silence hits nothing, now or later; nothing: it may. REQUIRES: its rule is one of them,
// or none is given.
std::optional<std::string> fault_of_silence(const AlarmRules& rules, const StateView& state,
                                            const Silence& silence);

// Why the alarm is not told once the silence with the number has ended: "silence 4", "inhibited by
// card_lost"; empty: it is told.
std::string quiet_without(const AlarmRules& rules, const AlarmsOpen& open, const AlarmKey& alarm,
                          std::uint64_t silence);

}  // namespace gpusched
