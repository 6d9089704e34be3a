// A report as plain text, for a mail or a terminal, and as CSV, for a spreadsheet.
#pragma once

#include <string>

#include "wire/messages/report.h"

namespace gpusched {

// All of it.
std::string report_text(const wire::Report& report);
// Without its first table, which the command line has its own of: waits, failures, costs, who
// waited for whom, suggestions, and how to read them. Empty: nothing to say.
std::string report_sections(const wire::Report& report);

// RFC 4180 with "\n". A text that a spreadsheet would take for a formula has an apostrophe before
// it.
std::string report_csv(const wire::Report& report);

}  // namespace gpusched
