// A job as a row: its state flattened into columns, and back. The column order of the three
// queries here is the contract between writing and reading.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "core/model/job.h"
#include "store/sqlite.h"

namespace gpusched {

extern const char* const kInsertJob;
// Changes only what can change in a job's life, and only while its spec is still the given row:
// the index on specs is then left alone, and no row changed means that the spec is another one.
extern const char* const kUpdateJob;
extern const char* const kSelectJobs;  // Ordered by id.

Result<void> insert_job(Statement& insert, const Job& job, std::int64_t spec);
Result<void> update_job(Statement& update, const Job& job, std::int64_t spec);

// The row `select` stands on; the spec is left to the caller, who has its row number in `spec`.
struct JobRow {
  Job job;
  std::int64_t spec = 0;
};
Result<JobRow> read_job(const Statement& select);

}  // namespace gpusched
