// Who a state directory is, whatever path leads to it. Control groups and claims carry this id, so
// that a new directory at an old path, or a copy of a living one, never takes another's jobs for
// its own.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace gpusched {

inline constexpr const char* kStateIdName = "state.id";

struct StateId {
  std::string id;       // Lower-case hex digits.
  bool copied = false;  // The directory came about as a copy: what runs belongs to another one.
};
// What is there, or a new one. The file remembers which directory it was made in; found in another
// one it is a copy's, which gets an id of its own. `earlier` is what an older version called
// itself, for a directory that has jobs from then; empty: a new id.
Result<StateId> take_state_id(const std::string& state_directory, const std::string& boot_id,
                              const std::string& earlier);

// Without judging it. Nullopt: there is none that can be read.
std::optional<std::string> read_state_id(const std::string& state_directory);

}  // namespace gpusched
