// What is known of a job's needs, for people: what it holds and why, what it used, and what it had
// better ask for next time. Words included, so that every view says the same.
#pragma once

#include <optional>
#include <string>

#include "core/state/estimates.h"
#include "core/state/state_view.h"

namespace gpusched {

struct Knowledge {
  std::string signature;             // Its command without what varies.
  std::optional<Estimate> estimate;  // From past runs on its cards.
  std::uint64_t out_of_memory = 0;   // Of those, how many ran out of memory.
  std::optional<Microseconds> expected_run;
  std::uint64_t held_bytes = 0;       // On each card; 0: it holds none.
  std::uint64_t used_bytes = 0;       // Its own peak so far, on its fullest card.
  std::uint64_t suggested_bytes = 0;  // What to ask for next time; 0: nothing to say.
  std::string advice;                 // One sentence; may be empty.
};

Knowledge knowledge_of(const StateView& state, const Job& job);

// What to ask for when so much was used: some more, in round numbers.
std::uint64_t suggested_for(std::uint64_t used_bytes);

}  // namespace gpusched
