// Reads everything that a daemon needs to go on. Each distinct spec and environment is made once
// and shared, as it was before the restart; the writer is told their rows.
#pragma once

#include "base/result.h"
#include "engine/store.h"
#include "store/sqlite.h"
#include "store/writer.h"

namespace gpusched {

// Submissions that were never acknowledged go, with their jobs. In a transaction of its own.
Result<void> remove_open_submissions(Database& database, Writer& writer);

Result<StoreImage> read_image(Database& database, Writer& writer);

}  // namespace gpusched
