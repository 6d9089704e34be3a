// The history's file in the state directory: private to the daemon's user, moved aside when it is
// damaged, and not written when the disk is nearly full, since the queue needs that space more.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace gpusched::history {

inline constexpr const char* kFileName = "history.db";

// Makes the file if it is not there; returns its path.
Result<std::string> prepare_file(const std::string& directory);
// Renames it to history.db.damaged-N and returns that path. A few such are kept, no more.
Result<std::string> move_aside(const std::string& path);
// kStorageFull if the disk has less than `least` bytes left.
Result<void> require_space(const std::string& path, std::uint64_t least);

}  // namespace gpusched::history
