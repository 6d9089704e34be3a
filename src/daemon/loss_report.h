// What the store has lost, written down beside it until somebody has read it: a log line is gone
// with the next rotation, and who was promised a job will ask later.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gpusched {

inline constexpr const char* kLossName = "store.loss";

// Adds a sentence, with the time.
Result<void> write_loss(const std::string& state_directory, const std::string& what, Wall now);
// The newest few; empty: nothing was lost, or somebody has seen to it and removed the file.
std::vector<std::string> read_losses(const std::string& state_directory);

}  // namespace gpusched
