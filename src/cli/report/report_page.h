// A report as one page for a browser: style, figures and plots (SVG) inside, nothing loaded from
// elsewhere and no script. Light or dark as the reader has it, and fit to be printed.
#pragma once

#include <string>

#include "wire/messages/report.h"

namespace gpusched::cli {

std::string report_page(const wire::Report& report);

}  // namespace gpusched::cli
