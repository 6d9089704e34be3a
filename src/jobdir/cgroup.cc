#include "jobdir/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "os/clock.h"

namespace gpusched {
namespace {

bool write_at(int directory, const char* name, std::string_view text) {
  const Fd file(::openat(directory, name, O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The number after `key ` in a flat-keyed file.
std::uint64_t read_keyed(int file, std::string_view key) {
  char buffer[1024];
  const ssize_t got = ::pread(file, buffer, sizeof buffer - 1, 0);
  if (got <= 0) return 0;
  buffer[got] = '\0';
  for (const char* line = buffer; line != nullptr && *line != '\0';) {
    if (std::strncmp(line, key.data(), key.size()) == 0 && line[key.size()] == ' ') {
      return std::strtoull(line + key.size() + 1, nullptr, 10);
    }
    line = std::strchr(line, '\n');
    if (line != nullptr) ++line;
  }
  return 0;
}

bool remove_groups_below(int parent, const char* name, int depth) {
  if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  if (depth == 0) return false;
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT;
  DIR* directory = ::fdopendir(fd);
  if (directory == nullptr) {
    ::close(fd);
    return false;
  }
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
    remove_groups_below(::dirfd(directory), entry->d_name, depth - 1);
  }
  ::closedir(directory);
  return ::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

}  // namespace

std::vector<AttemptId> attempts_with_leaves(const CgroupBase& base) {
  std::vector<AttemptId> attempts;
  if (base.path.empty()) return attempts;
  DIR* directory = ::opendir((base.path + "/jobs").c_str());
  if (directory == nullptr) return attempts;
  while (const dirent* entry = ::readdir(directory)) {
    char* end = nullptr;
    const std::uint64_t job = std::strtoull(entry->d_name, &end, 10);
    if (job == 0 || end == nullptr || *end != '.') continue;
    const long number = std::strtol(end + 1, &end, 10);
    if (*end == '\0' && number > 0 && number < 1'000'000'000) {
      attempts.push_back({JobId{job}, static_cast<int>(number)});
    }
  }
  ::closedir(directory);
  std::ranges::sort(attempts);
  return attempts;
}

std::string leaf_path(const CgroupBase& base, AttemptId attempt) {
  return base.path + "/jobs/" + to_string(attempt);
}

void premake_leaf(const std::string& path) { ::mkdir(path.c_str(), 0755); }

Result<Fd> make_leaf(const std::string& path, const LeafLimits& limits) {
  bool fresh = false;
  const auto make = [&] {
    fresh = ::mkdir(path.c_str(), 0755) == 0;
    return fresh || errno == EEXIST;
  };
  const auto open = [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); };
  if (!make()) {
    return failure(ErrorCode::kIo, "make the control group " + path + ": " + std::strerror(errno));
  }
  Fd leaf(open());
  if (leaf && !leaf_is_empty(leaf.get())) {
    if (kill_leaf(leaf.get())) wait_until_leaf_is_empty(leaf.get(), 1000);
    remove_leaf(path);
    leaf.reset(make() ? open() : -1);
  }
  if (!leaf) {
    return failure(ErrorCode::kIo, "open the control group " + path + ": " + std::strerror(errno));
  }
  // Where the controller is missing the file is, too: admission alone keeps the promise then. One
  // that was there already may have limits of long ago.
  if (limits.cpus > 0) {
    write_at(leaf.get(), "cpu.max", std::to_string(limits.cpus * 100'000LL) + " 100000");
  } else if (!fresh) {
    write_at(leaf.get(), "cpu.max", "max 100000");
  }
  if (limits.ram_bytes > 0) {
    write_at(leaf.get(), "memory.max", std::to_string(limits.ram_bytes));
  } else if (!fresh) {
    write_at(leaf.get(), "memory.max", "max");
  }
  // An empty line stands for whatever the group above has.
  if (!limits.near_cpus.empty() || !fresh) {
    write_at(leaf.get(), "cpuset.cpus", limits.near_cpus + "\n");
    write_at(leaf.get(), "cpuset.mems", limits.near_memory + "\n");
  }
  return leaf;
}

bool kill_leaf(int leaf) { return write_at(leaf, "cgroup.kill", "1"); }

bool freeze_leaf(int leaf, bool frozen) {
  return write_at(leaf, "cgroup.freeze", frozen ? "1" : "0");
}

std::uint64_t oom_kills_in(int leaf) {
  const Fd file(::openat(leaf, "memory.events", O_RDONLY | O_CLOEXEC));
  return file ? read_keyed(file.get(), "oom_kill") : 0;
}

bool leaf_is_empty(int leaf) {
  const Fd file(::openat(leaf, "cgroup.events", O_RDONLY | O_CLOEXEC));
  return !file || read_keyed(file.get(), "populated") == 0;
}

bool remove_leaf(const std::string& path) {
  constexpr int kDeepest = 8;
  return remove_groups_below(AT_FDCWD, path.c_str(), kDeepest);
}

bool wait_until_leaf_is_empty(int leaf, int milliseconds) {
  const Fd file(::openat(leaf, "cgroup.events", O_RDONLY | O_CLOEXEC));
  if (!file) return true;
  const Boot deadline = read_clock().boot + std::chrono::milliseconds{milliseconds};
  while (read_keyed(file.get(), "populated") != 0) {
    const Microseconds left = deadline - read_clock().boot;
    if (left.count() <= 0) return false;
    pollfd wait{file.get(), POLLPRI, 0};
    ::poll(&wait, 1, static_cast<int>(left.count() / 1000) + 1);
  }
  return true;
}

}  // namespace gpusched
