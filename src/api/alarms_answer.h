// Alarms as they are shown: to everybody, but without the names of others where these are hidden
// (api/veil.h). The list and the stream of events say the same.
#pragma once

#include <string>
#include <vector>

#include "api/context.h"
#include "api/veil.h"
#include "wire/messages/alarm.h"

namespace gpusched {

// Nothing of an alarm with these in it is theirs to know. Empty: nobody's.
bool hides_alarm(const Veil& veil, const std::string& user, const std::string& tenant);
// Those that are on; the worst first, then by when they began.
std::vector<wire::Alarm> alarms_for(const Context& context, const Veil& veil);

}  // namespace gpusched
