// A machine's own past as the API lists it, the words for cards that it might have had, and how
// two replays compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "replay/measures.h"
#include "replay/past.h"

namespace gpusched::replay {

// `jobs` is the answer to GET /v1/jobs?state=ended; those submitted from `since` on count. A job
// that shared its cards holds in the replay what it was given then.
Result<Past> read_past(std::string_view jobs, const Machine& machine, Wall since);

// "24G" or "MODEL:80G": one card more, of that memory.
Result<void> add_card(Machine& machine, const std::string& words);
// By its number.
Result<void> remove_card(Machine& machine, const std::string& number);

// Side by side: as it was, and as it would have been.
std::string compared(const Measures& was, const Measures& would);

}  // namespace gpusched::replay
