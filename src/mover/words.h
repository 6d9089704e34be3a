// The command line of gpusched-mover.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "mover/move.h"

namespace gpusched::mover {

extern const char* const kUsage;
Result<MoveWords> parse_words(const std::vector<std::string>& words);

}  // namespace gpusched::mover
