// The keeper of one MPS server: starts it for the first job that needs it, watches it, stops it
// when the last one is gone. A process of its own, apart from daemon, launcher and shims, so that
// none of their ends is the server's; one that is killed is replaced by whoever notices, and the
// next one goes on with what it finds (jobdir/mps_place.h).
#pragma once

#include <string>

#include "launcher/shim_settings.h"

namespace gpusched {

// Starts one for the place of that name, if it has none. A descendant of nobody here.
void spawn_mps_keeper(const ShimSettings& settings, const std::string& place);
// The same for every place that has lost its keeper.
void replace_lost_keepers(const ShimSettings& settings);

}  // namespace gpusched
