// KEY=VALUE words that change a world while it is used: `card=0 xid=79 lost=on`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "simdriver/scenario.h"
#include "simdriver/world.h"

namespace gpusched::simdriver {

// Applies the words in order; `card=N` or `card=all` says whose the ones behind it are. Nothing is
// changed if one of them is wrong.
Result<void> apply_settings(const World& world, const std::vector<std::string>& words);

// The words of `add-process`: card, pid, kind, name, user, vram, util.
Result<ScenarioProcess> parse_process(const std::vector<std::string>& words);

// One line per key, for the help text.
std::string settings_help();

}  // namespace gpusched::simdriver
