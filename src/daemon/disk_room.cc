#include "daemon/disk_room.h"

#include <sys/statvfs.h>

#include <algorithm>

namespace gpusched {
namespace {

// Enough for the records of thousands of jobs and for the log of the store; on a very small disk, a
// part of it.
constexpr std::uint64_t kLeastBytes = 16ULL << 20;
constexpr std::uint64_t kLeastFiles = 200;
constexpr std::uint64_t kSmallPart = 16;

}  // namespace

std::optional<DiskSpace> disk_space_of(const std::string& path) {
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0 || status.f_blocks == 0) return std::nullopt;
  return DiskSpace{.free_bytes = std::uint64_t{status.f_bavail} * status.f_frsize,
                   .free_files = status.f_favail,
                   .all_bytes = std::uint64_t{status.f_blocks} * status.f_frsize,
                   .all_files = status.f_files};
}

bool is_full(const DiskSpace& space, bool was_full) {
  const std::uint64_t times = was_full ? 2 : 1;
  const std::uint64_t bytes = std::min(kLeastBytes, space.all_bytes / kSmallPart);
  const std::uint64_t files = std::min(kLeastFiles, space.all_files / kSmallPart);
  return space.free_bytes < times * bytes || (files > 0 && space.free_files < times * files);
}

}  // namespace gpusched
