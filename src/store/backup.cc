#include "store/backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "os/fd.h"
#include "store/place.h"
#include "store/sqlite.h"

namespace gpusched {
namespace {

tl::unexpected<Error> backup_failure(const std::string& to, int number) {
  ErrorCode code = ErrorCode::kIo;
  if (number == EEXIST) code = ErrorCode::kConflict;
  if (number == EACCES || number == EPERM || number == EROFS) code = ErrorCode::kForbidden;
  if (number == ENOSPC || number == EDQUOT) code = ErrorCode::kStorageFull;
  const char* why =
      number == EEXIST ? "there is a file of that name already" : std::strerror(number);
  return failure(code, fmt::format("back up to {}: {}", to, why));
}

Result<void> write_copy(const std::string& from, const std::string& partial, const char* vfs) {
  Result<Database> database = Database::open(from, vfs);
  if (!database) return failure(database.error());
  // Rewriting instead of copying pages leaves behind whatever was deleted.
  Result<Statement> copy = database->prepare("VACUUM INTO ?");
  if (!copy) return failure(copy.error());
  if (Result<void> done = copy->run(partial); !done) {
    return failure(done.error().code,
                   fmt::format("back up into {}: {}", partial, done.error().message));
  }
  // SQLite does not sync what VACUUM INTO wrote.
  return sync_to_disk(partial);
}

Result<void> give_final_name(const std::string& partial, const std::string& to) {
  int failed = ::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  // Some file systems cannot; they get the check and the rename in two steps.
  if (failed != 0 && errno == EINVAL) {
    if (::access(to.c_str(), F_OK) == 0) return backup_failure(to, EEXIST);
    failed = ::rename(partial.c_str(), to.c_str());
  }
  if (failed != 0) return backup_failure(to, errno);
  const std::string parent = std::filesystem::path(to).parent_path().string();
  return sync_to_disk(parent.empty() ? "." : parent);
}

}  // namespace

Result<void> copy_database(const std::string& from, const std::string& to, const char* vfs) {
  if (::access(to.c_str(), F_OK) == 0) return backup_failure(to, EEXIST);
  std::string partial = to + ".partial-XXXXXX";
  const Fd made(::mkostemp(partial.data(), O_CLOEXEC));  // Mode 0600.
  if (!made) return backup_failure(to, errno);
  Result<void> done = write_copy(from, partial, vfs);
  if (done) done = give_final_name(partial, to);
  if (!done) ::unlink(partial.c_str());
  return done;
}

}  // namespace gpusched
