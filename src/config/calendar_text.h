// The calendar as one line: "mon-fri 9:00-18:00 free 0,left; sat,sun 0:00-24:00 most 2".
#pragma once

#include <string>

#include "base/result.h"
#include "core/model/calendar.h"

namespace gpusched {

Result<Calendar> parse_calendar(const std::string& text);
std::string calendar_text(const Calendar& calendar);

}  // namespace gpusched
