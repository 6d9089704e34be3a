// Rules of alarms that keep each other from being told: none of them would ever be. Such a
// configuration is refused.
#pragma once

#include <string>
#include <vector>

#include "core/alarm/rule.h"

namespace gpusched {

// The shortest way from `rule`, which is not told during `other`, back to itself: each is not told
// during the next. Empty: there is none. Rules that are off keep nobody from being told.
std::vector<std::string> circle_through(const AlarmRules& rules, const std::string& rule,
                                        const std::string& other);
// "a is not told during b, b not during a".
std::string circle_words(const std::vector<std::string>& circle);

}  // namespace gpusched
