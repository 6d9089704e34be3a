// From the map below `alarms` to rules of alarms, and back. What contradicts itself is refused
// here, with the place, because at the daemon's start nobody would see it.
#pragma once

#include <string>

#include "base/result.h"
#include "config/card_rules_yaml.h"
#include "core/alarm/rule.h"

namespace gpusched {

// REQUIRES: `map` is a map.
Result<AlarmRules> read_alarms(const YAML::Node& map, const WrongAt& wrong_at);
// The map as it stands behind `alarms:`: what differs from the defaults, each rule on a line of its
// own behind `indent`; "{}" if nothing does.
std::string alarms_text(const AlarmRules& rules, std::string_view indent);

}  // namespace gpusched
