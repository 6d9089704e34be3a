#include "os/descriptors.h"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace gpusched {
namespace {

constexpr rlim_t kEnough = 65536;

}  // namespace

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  const std::string found = std::to_string(limit.rlim_cur) + ":" + std::to_string(limit.rlim_max);
  rlimit wanted{std::max(limit.rlim_max, kEnough), std::max(limit.rlim_max, kEnough)};
  if (::setrlimit(RLIMIT_NOFILE, &wanted) != 0) {
    // Only root may go beyond what it was given.
    wanted = {limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &wanted) != 0) wanted = limit;
  }
  if (wanted.rlim_cur != limit.rlim_cur || wanted.rlim_max != limit.rlim_max) {
    ::setenv(kDescriptorsVariable, found.c_str(), 1);
  }
  return wanted.rlim_cur;
}

void give_back_descriptor_limit() {
  const char* text = std::getenv(kDescriptorsVariable);
  if (text == nullptr) return;
  rlimit limit{};
  const char* const end = text + std::strlen(text);
  const auto soft = std::from_chars(text, end, limit.rlim_cur);
  if (soft.ec == std::errc{} && soft.ptr != end && *soft.ptr == ':' &&
      std::from_chars(soft.ptr + 1, end, limit.rlim_max).ec == std::errc{}) {
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ::unsetenv(kDescriptorsVariable);
}

std::string descriptors_for_child() {
  const char* text = std::getenv(kDescriptorsVariable);
  return text == nullptr ? "" : std::string(kDescriptorsVariable) + "=" + text;
}

std::uint64_t open_descriptors() {
  std::uint64_t count = 0;
  DIR* const directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  while (const dirent* entry = ::readdir(directory)) count += entry->d_name[0] != '.' ? 1 : 0;
  ::closedir(directory);
  return count - 1;  // Without the one that looked.
}

}  // namespace gpusched
