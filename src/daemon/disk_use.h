// How much the jobs of each user keep in the state directory: checkpoints and logs. Walks through
// directories that users fill as they like, so it follows no link, opens no file, and gives up on
// who has more than can be counted. Takes as long as it takes: not for the loop.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gpusched {

struct DiskCount {
  std::uint64_t bytes = 0;  // As the disk counts them; a file without content has an entry, too.
  std::uint64_t entries = 0;
};
// Of one user. Who has more is not looked at any further.
struct DiskCountMost {
  std::uint64_t bytes = 0;  // 0: no end.
  std::uint64_t entries = 1'000'000;
  int depth = 64;  // Directories in each other. Deeper counts as more than can be counted.
};
// What stands for "more than can be counted".
inline constexpr std::uint64_t kUncountable = 1ULL << 62;

// By uid. Empty where the directory cannot be read.
std::map<std::uint32_t, DiskCount> count_job_files(const std::string& jobs_directory,
                                                   const DiskCountMost& most);

}  // namespace gpusched
