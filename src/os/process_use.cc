#include "os/process_use.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "os/small_file.h"

namespace gpusched {
namespace {

constexpr std::size_t kStatMost = 4096;

std::optional<std::uint64_t> count_descriptors() {
  const auto close = [](DIR* directory) { ::closedir(directory); };
  const std::unique_ptr<DIR, decltype(close)> all(::opendir("/proc/self/fd"), close);
  if (!all) return std::nullopt;
  std::uint64_t count = 0;
  while (const dirent* entry = ::readdir(all.get())) {
    if (entry->d_name[0] != '.') ++count;
  }
  return count - 1;  // The one that looks.
}

std::optional<double> cpu_time() {
  rusage use{};
  if (::getrusage(RUSAGE_SELF, &use) != 0) return std::nullopt;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

}  // namespace

ProcessUse own_use() {
  ProcessUse use{.cpu_seconds = cpu_time(),
                 .resident_bytes = {},
                 .virtual_bytes = {},
                 .open_descriptors = count_descriptors(),
                 .descriptors_most = {}};
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) use.descriptors_most = limit.rlim_cur;
  // "size resident shared …", in pages.
  const std::string text = read_small_file("/proc/self/statm", kStatMost);
  const std::vector<std::string_view> parts = split_nonempty(trimmed(text), ' ');
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t size = 0, resident = 0;
  if (parts.size() < 2 || !whole_number(parts[0], size) || !whole_number(parts[1], resident)) {
    return use;
  }
  use.virtual_bytes = size * page;
  use.resident_bytes = resident * page;
  return use;
}

}  // namespace gpusched
