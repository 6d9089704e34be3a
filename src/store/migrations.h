// The schema and its history. Every version ever released can be brought to the newest one, step
// by step, all in one transaction. Rule: a step that was released is never edited; a change of the
// schema is a new step at the end, with a fixture of the version before it in tests/compat/.
#pragma once

#include <span>

#include "base/result.h"
#include "store/sqlite.h"

namespace gpusched {

// Marks the file as ours ("gpus"), beside the schema's number in user_version.
inline constexpr int kApplicationId = 0x67707573;

// SQL that leads from version n to n+1; the first one makes version 1 out of nothing.
std::span<const char* const> schema_steps();

// Brings the database to version steps.size(). Refuses one that is newer, and one that has
// content but is not ours.
Result<void> migrate(Database& database, const std::string& path,
                     std::span<const char* const> steps);

}  // namespace gpusched
