#include "store/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "os/fd.h"
#include "store/file_system.h"

namespace gpusched {
namespace {

constexpr mode_t kPrivate = 0600;

tl::unexpected<Error> system_failure(const char* doing, const std::string& path) {
  const int number = errno;
  ErrorCode code = ErrorCode::kIo;
  if (number == EACCES || number == EPERM || number == EROFS) code = ErrorCode::kForbidden;
  if (number == ENOSPC || number == EDQUOT) code = ErrorCode::kStorageFull;
  return failure(code, fmt::format("{} {}: {}", doing, path, std::strerror(number)));
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Result<void> refuse_unusable_directory(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) {
    return system_failure("open state directory", directory);
  }
  if (!S_ISDIR(status.st_mode)) {
    return failure(ErrorCode::kIo, fmt::format("open state directory {}: it is a file", directory));
  }
  // As the effective user, whose files these will be.
  if (::faccessat(AT_FDCWD, directory.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
    return system_failure("write in state directory", directory);
  }
  return refuse_network_file_system(directory);
}

Result<void> refuse_lost_database(const std::string& directory, const std::string& path) {
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (there && status.st_size > 0) return {};
  const std::string marker = directory + "/" + kMarkerName;
  const std::string log = path + "-wal";
  if (!exists(marker) && !exists(log)) return {};
  return failure(
      ErrorCode::kIo,
      fmt::format("open {}: the database {}, but there was one ({} says so): restore a backup, or "
                  "delete {} to begin with an empty queue",
                  path, there ? "is empty" : "is gone", exists(marker) ? kMarkerName : log,
                  exists(marker) ? marker : log));
}

}  // namespace

Result<void> create_private_file(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kPrivate));
  if (!file) return system_failure("create", path);
  return {};
}

void extend_log(const std::string& database, std::size_t bytes) {
  const Fd file(::open((database + "-wal").c_str(), O_WRONLY | O_CLOEXEC));
  struct stat status {};
  // Ignoring failures, a full disk among them: the log is then only slower.
  if (!file || ::fstat(file.get(), &status) != 0) return;
  const std::string zeros(1 << 16, '\0');
  for (auto end = static_cast<std::size_t>(status.st_size); end < bytes;) {
    const ssize_t written = ::pwrite(file.get(), zeros.data(), std::min(zeros.size(), bytes - end),
                                     static_cast<off_t>(end));
    if (written <= 0) return;
    end += static_cast<std::size_t>(written);
  }
  (void)::fdatasync(file.get());
}

Result<FilePlace> place_of_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return system_failure("look at", path);
  return FilePlace{status.st_dev, status.st_ino};
}

Result<void> require_same_file(const std::string& path, const FilePlace& opened) {
  const Result<FilePlace> now = place_of_file(path);
  if (now && *now == opened) return {};
  const char* what = now ? "another file has taken its place" : "it is no longer there";
  return failure(ErrorCode::kIo,
                 fmt::format("write {}: {}; put it back, or restart the daemon", path, what));
}

Result<std::string> keep_copy(const std::string& database) {
  constexpr int kCopiesMost = 9;
  for (int number = 1; number <= kCopiesMost; ++number) {
    std::string copy = fmt::format("{}.older-{}", database, number);
    if (exists(copy)) continue;
    std::error_code error;
    std::filesystem::copy_file(database, copy, error);
    if (!error && exists(database + "-wal")) {
      std::filesystem::copy_file(database + "-wal", copy + "-wal", error);
    }
    if (error) {
      return failure(ErrorCode::kIo,
                     fmt::format("copy {} to {}: {}", database, copy, error.message()));
    }
    return copy;
  }
  return failure(ErrorCode::kIo,
                 fmt::format("copy {}: there are {} copies already", database, kCopiesMost));
}

Result<void> sync_to_disk(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_failure("open", path);
  if (::fsync(file.get()) != 0) return system_failure("write", path);
  return {};
}

Result<std::string> prepare_place(const std::string& directory) {
  if (Result<void> good = refuse_unusable_directory(directory); !good) {
    return failure(good.error());
  }
  const std::string path = directory + "/" + kDatabaseName;
  if (Result<void> good = refuse_lost_database(directory, path); !good) {
    return failure(good.error());
  }
  if (!exists(path)) {
    if (Result<void> made = create_private_file(path); !made) return failure(made.error());
  }
  // Root may write anywhere; everybody else must own or be allowed to write the file.
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0) {
    return system_failure("open", path);
  }
  // A restored copy may have come with another mode; SQLite gives its side files the same one.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return system_failure("look at", path);
  if ((status.st_mode & 07777) != kPrivate && ::chmod(path.c_str(), kPrivate) != 0) {
    return system_failure("make private", path);
  }
  return path;
}

Result<void> mark_created(const std::string& directory) {
  const std::string path = directory + "/" + kMarkerName;
  if (exists(path)) return {};
  static constexpr std::string_view kText =
      "gpusched keeps its queue beside this file, in gpusched.db.\n";
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kPrivate));
  if (!file) return system_failure("create", path);
  if (::write(file.get(), kText.data(), kText.size()) < 0 || ::fsync(file.get()) != 0) {
    return system_failure("write", path);
  }
  return sync_to_disk(directory);
}

}  // namespace gpusched
