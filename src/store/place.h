// The files of a store: private to the daemon's user, and never silently started afresh. A small
// marker beside the database remembers that there was one.
#pragma once

#include <string>

#include "base/result.h"

namespace gpusched {

inline constexpr const char* kDatabaseName = "gpusched.db";
inline constexpr const char* kMarkerName = "store.created";

// Makes sure that `directory` can hold a store and that the database file exists, mode 0600.
// Returns its path. Refuses when there must have been a database that is now gone or empty.
Result<std::string> prepare_place(const std::string& directory);

// After the database is complete: from now on it may not go missing.
Result<void> mark_created(const std::string& directory);

// A new file, mode 0600, that did not exist before.
Result<void> create_private_file(const std::string& path);
// Gives the write-ahead log of a database at least `bytes` on disk. To sync a write into bytes
// that are there already takes a tenth of the time of a sync that has to make a file longer, and
// SQLite writes over them: what follows its last frame means nothing to it.
void extend_log(const std::string& database, std::size_t bytes);
// Makes the file, or the names in a directory, durable.
Result<void> sync_to_disk(const std::string& path);

}  // namespace gpusched
