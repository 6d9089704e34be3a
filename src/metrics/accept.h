// Which format an asker wants, by the header Accept.
#pragma once

#include <string_view>

#include "metrics/exposition.h"

namespace gpusched::metrics {

// The one that is wanted most. Who names neither, or nothing that we have, gets Prometheus' own
// text: nobody is refused for a header.
Format wanted_format(std::string_view accept);

}  // namespace gpusched::metrics
