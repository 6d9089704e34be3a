// The processes of a card as the core is told of them: what the driver and /proc say, and nothing
// that follows from it. What of their load counts, and who sits idle, is the core's to say.
#pragma once

#include <vector>

#include "core/model/card_view.h"
#include "watch/report.h"

namespace gpusched {

std::vector<SeenProcess> seen_processes(const std::vector<watch::WatchedProcess>& listed);

}  // namespace gpusched
