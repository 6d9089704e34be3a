// The files of a store: private to the daemon's user, and never silently started afresh. A small
// marker beside the database remembers that there was one.
#pragma once

#include <cstdint>
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
// Which file a path leads to.
struct FilePlace {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FilePlace&, const FilePlace&) = default;
};
Result<FilePlace> place_of_file(const std::string& path);
// An error once the path leads nowhere, or to another file: what is written goes into one that
// nobody will find again.
Result<void> require_same_file(const std::string& path, const FilePlace& opened);
// Copies of a database and its log under names that are free, for whoever wants to look into them.
// Returns the first name.
Result<std::string> keep_copy(const std::string& database);
// Makes the file, or the names in a directory, durable.
Result<void> sync_to_disk(const std::string& path);

}  // namespace gpusched
