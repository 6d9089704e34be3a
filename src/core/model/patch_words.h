// What a change made of a job, for its trail: "time limit 1h → 2h; cards 1 → 2".
#pragma once

#include <string>

#include <string_view>

#include "core/model/job_patch.h"

namespace gpusched {

// Only what is another value now; empty: nothing is. Of variables the names alone, because their
// values may be secrets.
std::string words_of_change(const JobPatch& patch, const JobSpec& before, const JobSpec& after);

// A field in a sentence about what cannot be had together.
std::string_view word_in_conflict(std::string_view field);

}  // namespace gpusched
