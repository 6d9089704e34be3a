// Alarms and silences as rows. Part of the schema: a change needs a migration.
#pragma once

#include <optional>

#include "base/result.h"
#include "core/model/alarm.h"
#include "store/sqlite.h"

namespace gpusched {

inline constexpr const char* kPutAlarm =
    "INSERT OR REPLACE INTO alarms(rule, subject, severity, what, whom, advice, since, value,"
    " told_at, quiet, told_to, card, job, user_name, tenant)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
inline constexpr const char* kDeleteAlarm = "DELETE FROM alarms WHERE rule = ? AND subject = ?";
inline constexpr const char* kSelectAlarms =
    "SELECT rule, subject, severity, what, whom, advice, since, value, told_at, quiet, told_to,"
    " card, job, user_name, tenant FROM alarms ORDER BY rule, subject";

inline constexpr const char* kPutSilence =
    "INSERT OR REPLACE INTO silences(id, rule, subject, starts_at, ends_at, made_by, reason)"
    " VALUES(?, ?, ?, ?, ?, ?, ?)";
inline constexpr const char* kDeleteSilence = "DELETE FROM silences WHERE id = ?";
inline constexpr const char* kSelectSilences =
    "SELECT id, rule, subject, starts_at, ends_at, made_by, reason FROM silences ORDER BY id";

Result<void> put_alarm(Statement& put, const Alarm& alarm);
std::optional<Alarm> read_alarm(const Statement& row);
Result<void> put_silence(Statement& put, const Silence& silence);
std::optional<Silence> read_silence(const Statement& row);

}  // namespace gpusched
