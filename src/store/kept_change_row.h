// A change with its key as a row; its answer as JSON. Part of the schema: a change needs a
// migration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/kept_change.h"
#include "store/sqlite.h"

namespace gpusched {

inline constexpr const char* kPutKeptChange =
    "INSERT OR REPLACE INTO kept_changes(uid, role, key, digest, at, over, changed, token, answer)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)";
inline constexpr const char* kDeleteKeptChange =
    "DELETE FROM kept_changes WHERE uid = ? AND role = ? AND key = ?";
inline constexpr const char* kSelectKeptChanges =
    "SELECT uid, role, key, digest, at, over, changed, token, answer FROM kept_changes";

Result<void> put_kept_change(Statement& put, const KeptChange& change);
Result<void> delete_kept_change(Statement& remove, const KeptChangeKey& key);
// The row `select` stands on; nullopt: it makes no sense.
std::optional<KeptChange> read_kept_change(const Statement& select);

std::string answer_to_text(const Answer& answer);
std::optional<Answer> answer_from_text(std::string_view text);

}  // namespace gpusched
