// Finding and preparing the base group.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "jobdir/cgroup.h"
#include "jobdir/state_id.h"
#include "os/small_file.h"

namespace gpusched {
namespace {

constexpr const char* kGroupPrefix = "/gpusched-";

bool write_to(const std::string& path, const std::string& text) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Where the version 2 hierarchy is mounted; empty if it is not.
std::string v2_mount() {
  constexpr std::size_t kMountPoint = 4;
  const std::string mounts = read_small_file("/proc/self/mountinfo");
  for (const std::string_view line : split(mounts, '\n')) {
    if (line.find(" - cgroup2 ") == std::string_view::npos) continue;
    const std::vector<std::string_view> fields = split(line, ' ');
    if (fields.size() > kMountPoint) return std::string(fields[kMountPoint]);
  }
  return {};
}

// Our own group in the version 2 hierarchy: "/" or "/a/b"; empty if there is none.
std::string own_group() {
  const std::string groups = read_small_file("/proc/self/cgroup");
  std::size_t at = groups.compare(0, 3, "0::") == 0 ? 0 : groups.find("\n0::");
  if (at == std::string::npos) return {};
  at = groups.find("::", at) + 2;
  return groups.substr(at, groups.find('\n', at) - at);
}

bool delegated(const std::string& path) {
  char mark = 0;
  return ::getxattr(path.c_str(), "user.delegate", &mark, 1) == 1 && mark == '1';
}

bool may_write(const std::string& path) {
  return ::access(path.c_str(), W_OK) == 0 && ::access((path + "/cgroup.procs").c_str(), W_OK) == 0;
}

// As older versions named a directory's group; those with an id are named by that.
std::string hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int shift = 44; shift >= 0; shift -= 4) out.push_back(kHex[(hash >> shift) & 15]);
  return out;
}

bool has_word(const std::string& list, const std::string& word) {
  return (" " + list + " ").find(" " + word + " ") != std::string::npos;
}

bool make_group(const std::string& path) {
  return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
}

// True if the leaves below jobs/ have that controller.
bool switch_on(const std::string& base, const char* controller) {
  const std::string enable = std::string("+") + controller;
  return write_to(base + "/cgroup.subtree_control", enable) &&
         write_to(base + "/jobs/cgroup.subtree_control", enable);
}

}  // namespace

CgroupBase find_cgroup_base(const std::string& state_directory) {
  const std::string mount = v2_mount();
  if (mount.empty()) return {.path = {}, .explanation = "cgroup version 2 is not mounted"};
  const std::string group = own_group();
  std::string own = group.empty() || group == "/" ? std::string() : mount + group;
  // systemd (DelegateSubgroup=daemon) or an earlier self has put us into daemon/ already.
  constexpr std::string_view kDaemon = "/daemon";
  if (own.size() > kDaemon.size() && own.ends_with(kDaemon)) {
    const std::string above = own.substr(0, own.size() - kDaemon.size());
    if (delegated(above) || may_write(above + "/jobs")) {
      return {.path = above,
              .cpu_limits = true,
              .ram_limits = true,
              .explanation = "jobs run in control groups below " + above};
    }
  }
  const bool root = ::geteuid() == 0;
  if (!own.empty() && may_write(own) && (delegated(own) || !root)) {
    // Controllers stay off here: with them on, systemd could not put a restarted daemon into a
    // group that still has jobs below it.
    return {.path = own,
            .explanation = "jobs run in control groups below " + own +
                           ", without limits (those need DelegateSubgroup=daemon in the unit)"};
  }
  if (root && ::access(mount.c_str(), W_OK) == 0) {
    const auto id = read_state_id(state_directory);
    const std::string path = mount + kGroupPrefix + (id ? *id : hash_of(state_directory));
    return {.path = path,
            .cpu_limits = true,
            .ram_limits = true,
            .explanation = "jobs run in control groups below " + path};
  }
  return {.path = {},
          .explanation = "no control group below " + mount +
                         " may be written; jobs are followed by session and process tree"};
}

std::string earlier_group_name(const std::string& state_directory) {
  const std::string mount = v2_mount();
  const std::string name = hash_of(state_directory);
  const bool there = !mount.empty() && ::access((mount + kGroupPrefix + name).c_str(), F_OK) == 0;
  return there ? name : std::string();
}

CgroupBase prepare_cgroups(CgroupBase base, bool move_self) {
  if (base.path.empty()) return base;
  const bool made = make_group(base.path) && make_group(base.path + "/daemon") &&
                    make_group(base.path + "/shims") && make_group(base.path + "/jobs");
  if (!made) {
    return {.path = {},
            .explanation = "cannot make control groups below " + base.path + ": " +
                           std::strerror(errno) +
                           "; jobs are followed by session and process tree"};
  }
  if (move_self) enter_cgroup(base.path + "/daemon");
  const std::string offered = [&] {
    std::string list = read_small_file(base.path + "/cgroup.controllers");
    while (!list.empty() && list.back() == '\n') list.pop_back();
    return list;
  }();
  base.cpu_limits = base.cpu_limits && has_word(offered, "cpu") && switch_on(base.path, "cpu");
  base.ram_limits =
      base.ram_limits && has_word(offered, "memory") && switch_on(base.path, "memory");
  base.vram_limits = base.cpu_limits && has_word(offered, "dmem") && switch_on(base.path, "dmem");
  base.near_cpus = base.cpu_limits && has_word(offered, "cpuset") && switch_on(base.path, "cpuset");
  return base;
}

void leave_cgroups(const CgroupBase& base) {
  const std::size_t last = base.path.rfind('/');
  const bool ours = last != std::string::npos && base.path.compare(last, 10, "/gpusched-") == 0;
  if (!ours) return;
  // Leaves first: a base with jobs in it must stay whole for the next daemon.
  if (::rmdir((base.path + "/jobs").c_str()) != 0 && errno != ENOENT) return;
  if (v2_mount() + own_group() == base.path + "/daemon") enter_cgroup(base.path.substr(0, last));
  for (const char* part : {"/mps", "/shims", "/daemon"}) {
    const std::string path = base.path + part;
    // What was told to end needs a moment for it: a spare of the launcher's, the sampler.
    const Fd group(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    constexpr int kPatienceMs = 1000;
    if (group) wait_until_leaf_is_empty(group.get(), kPatienceMs);
    ::rmdir(path.c_str());
  }
  ::rmdir(base.path.c_str());
}

bool enter_cgroup(const std::string& path) { return write_to(path + "/cgroup.procs", "0"); }

}  // namespace gpusched
