// What the job directories know that a store does not (engine/reconcile.h). Looked for once, at a
// start: one look per job, and more only where something is found.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/reconcile.h"

namespace gpusched {

// `attempts_of` gives the attempts that the store knows of a job; nullopt: it does not know the
// job. Ordered by job. Names of users are left to the caller: `owner->user` is the number. Notes
// are not read.
Result<std::vector<FoundJob>> find_unknown_attempts(
    const std::string& state_directory,
    const std::function<std::optional<int>(JobId)>& attempts_of);

// Of a directory that has lost its id (jobdir/state_id.h): the one in the claim of a shim that
// lives here. The lock of a claim does not go along when a directory is copied. Empty: nobody lives
// here.
std::string living_state_id(const std::string& state_directory);

}  // namespace gpusched
