// Rows of each kind of Durable in SQL, all but jobs (store/job_row.h): how they are put, removed
// and read. A new kind has a codec in rows.cc and a table in migrations.cc.
#pragma once

#include "base/result.h"
#include "core/state/durable.h"
#include "engine/store.h"
#include "store/sqlite.h"

namespace gpusched {

// The statements of one kind.
template <class Row>
struct RowStatements {
  Statement put;
  Statement remove;
};

Result<void> prepare_rows(Database& database, Durable<RowStatements>& statements);
Result<void> write_rows(Durable<RowStatements>& statements, const Commit& commit);
Result<void> read_rows(Database& database, StoreImage& image);

}  // namespace gpusched
