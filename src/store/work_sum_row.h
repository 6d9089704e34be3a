// A sum of work as a row: its figures in one text, `NAME=NUMBER` each, apart by blanks; those that
// are nothing are left out, and names of a newer version are passed over. Part of the schema: a
// change needs a migration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/work_sum.h"
#include "store/sqlite.h"

namespace gpusched {

inline constexpr const char* kPutWorkSum =
    "INSERT OR REPLACE INTO work(month, day, tenant, user_name, project, card, model, name,"
    " program, sums) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
inline constexpr const char* kDeleteWorkSum =
    "DELETE FROM work WHERE month = ? AND day = ? AND tenant = ? AND user_name = ? AND"
    " project = ? AND card = ? AND model = ? AND name = ? AND program = ?";
inline constexpr const char* kSelectWorkSums =
    "SELECT month, day, tenant, user_name, project, card, model, name, program, sums FROM work"
    " ORDER BY month, day, tenant, user_name, project, card, model, name, program";

Result<void> put_work_sum(Statement& put, const WorkSum& sum);
Result<void> delete_work_sum(Statement& remove, const WorkKey& key);
// The row `select` stands on; nullopt: it makes no sense.
std::optional<WorkSum> read_work_sum(const Statement& select);

std::string work_sums_to_text(const WorkSums& sums);
std::optional<WorkSums> work_sums_from_text(std::string_view text);

}  // namespace gpusched
