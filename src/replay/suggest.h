// Programs that ask for more memory than they use, and what a smaller request would have spared:
// the machine's own past is replayed as it was asked for, and once more with the smaller request.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "replay/history.h"
#include "replay/simulate.h"

namespace gpusched::replay {

struct Suggestion {
  std::string program, tenant;
  std::uint64_t runs = 0;         // Whose memory was seen.
  std::uint64_t asked_bytes = 0;  // The least that one of them asked for.
  std::uint64_t peak_bytes = 0;   // The most that one of them used.
  std::uint64_t suggested_bytes = 0;
  double sooner_s = 0;  // On average, of its jobs.
};

// A quarter more than the largest peak, at least 1 GiB more, in whole GiB.
std::uint64_t suggested_for(std::uint64_t peak_bytes);

// The best, those that spare most first: at least five runs, at most four fifths of what was
// asked, at least a minute sooner, and nobody waits longer on average for it.
Result<std::vector<Suggestion>> suggest(const SimulateAsked& asked, Past past);

std::string suggestion_text(const Suggestion& suggestion);

}  // namespace gpusched::replay
