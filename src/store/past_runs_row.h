// Past runs as a row: the runs in one text, `JOB.ATTEMPT,END,PEAK,LOAD,MICROSECONDS` each, apart by
// semicolons; a load that is not known is empty. Part of the schema: a change needs a migration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/state/estimates.h"
#include "store/sqlite.h"

namespace gpusched {

inline constexpr const char* kPutPastRuns =
    "INSERT OR REPLACE INTO past_runs(signature, model, tenant, command, recorded, out_of_memory,"
    " last, runs, refuses_moves) VALUES(?,?,?,?,?,?,?,?,?)";
inline constexpr const char* kDeletePastRuns =
    "DELETE FROM past_runs WHERE signature = ? AND model = ?";
inline constexpr const char* kSelectPastRuns =
    "SELECT signature, model, tenant, command, recorded, out_of_memory, last, runs,"
    " refuses_moves FROM past_runs ORDER BY signature, model";

Result<void> put_past_runs(Statement& put, const PastRuns& past);
Result<void> delete_past_runs(Statement& remove, const PastRunsKey& key);
// The row `select` stands on; nullopt: it makes no sense.
std::optional<PastRuns> read_past_runs_row(const Statement& select);

std::string past_runs_to_text(const std::vector<PastRun>& runs);
std::optional<std::vector<PastRun>> past_runs_from_text(std::string_view text);

}  // namespace gpusched
