// Whether the disk of the state directory has room for another job's records and for commits.
// Looked at before it is needed: a start that fails half-way helps nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpusched {

struct DiskSpace {
  std::uint64_t free_bytes = 0;
  std::uint64_t free_files = 0;
  std::uint64_t all_bytes = 0;
  std::uint64_t all_files = 0;  // 0: this file system does not count them.
};
// Nullopt: it cannot be said.
std::optional<DiskSpace> disk_space_of(const std::string& path);

// What was full stays so until there is twice the room, so that it does not change with every file.
bool is_full(const DiskSpace& space, bool was_full);

}  // namespace gpusched
