// A message of the outbox as a row. Part of the schema: a change needs a migration.
#pragma once

#include <optional>

#include "base/result.h"
#include "core/model/message.h"
#include "store/sqlite.h"

namespace gpusched {

inline constexpr const char* kPutMessage =
    "INSERT OR REPLACE INTO messages(id, receiver, address, thread, grouped_by, severity, resolved,"
    " rule, subject, what, whom, since, advice, job, card, attachment, times, others, at, last_at,"
    " due, tries, error)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
inline constexpr const char* kDeleteMessage = "DELETE FROM messages WHERE id = ?";
inline constexpr const char* kSelectMessages =
    "SELECT id, receiver, address, thread, grouped_by, severity, resolved, rule, subject, what,"
    " whom, since, advice, job, card, attachment, times, others, at, last_at, due, tries, error"
    " FROM messages ORDER BY id";

Result<void> put_message(Statement& put, const Message& message);
// The row `select` stands on.
std::optional<Message> read_message(const Statement& select);

}  // namespace gpusched
