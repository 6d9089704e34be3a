// What a replay found, for people and for programs.
#pragma once

#include <string>

#include "replay/simulate.h"

namespace gpusched::replay {

std::string as_json(const SimulateAsked& asked, const SimulateResult& result);
std::string as_text(const SimulateAsked& asked, const SimulateResult& result);

}  // namespace gpusched::replay
