// What a decision saw, as JSON that can be read back: the machine, what runs and what waits. Times
// are microseconds, so that a replay decides from exactly the same values. Commands, paths and
// environments are left out: no decision reads them, and a snapshot is made to be shown to others.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gpusched {

struct Excerpt;

std::string snapshot_to_json(const Excerpt& excerpt);
Result<Excerpt> snapshot_from_json(std::string_view text);

}  // namespace gpusched
