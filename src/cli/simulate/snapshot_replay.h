// What a decision does from a snapshot: `debug replay FILE` and `simulate --snapshot FILE`.
#pragma once

#include <string>

namespace gpusched::cli {

// Prints it; the exit code.
int replay_snapshot(const std::string& file, bool as_json);

}  // namespace gpusched::cli
