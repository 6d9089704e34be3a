#include "history/history_place.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text.h"
#include "store/place.h"

namespace gpusched::history {
namespace {

constexpr int kDamagedKept = 3;

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Result<std::string> prepare_file(const std::string& directory) {
  std::string path = directory + "/" + kFileName;
  if (!exists(path)) {
    if (Result<void> made = create_private_file(path); !made) return failure(made.error());
  }
  return path;
}

Result<std::string> move_aside(const std::string& path) {
  int number = 1;
  // The last place is taken again and again: who has damage that often needs no tenth copy.
  while (number < kDamagedKept && exists(fmt::format("{}.damaged-{}", path, number))) ++number;
  std::string aside = fmt::format("{}.damaged-{}", path, number);
  if (std::rename(path.c_str(), aside.c_str()) != 0) {
    return failure(ErrorCode::kIo,
                   fmt::format("rename {} to {}: {}", path, aside, std::strerror(errno)));
  }
  // They belong to the damaged file and would be taken for the new one's.
  ::unlink((path + "-wal").c_str());
  ::unlink((path + "-shm").c_str());
  return aside;
}

Result<void> require_space(const std::string& path, std::uint64_t least) {
  struct statvfs status {};
  if (least == 0 || ::statvfs(path.c_str(), &status) != 0) return {};
  const std::uint64_t left = std::uint64_t{status.f_bavail} * status.f_frsize;
  if (left >= least) return {};
  return failure(ErrorCode::kStorageFull,
                 fmt::format("write {}: the disk has only {} left, which the queue needs more",
                             path, format_size(left)));
}

}  // namespace gpusched::history
