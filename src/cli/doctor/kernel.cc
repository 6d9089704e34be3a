#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "cli/doctor/kernel.h"
#include "cli/files.h"
#include "os/fd.h"

namespace gpusched::cli {
namespace {

constexpr long kCgroup2Magic = 0x63677270;

bool is_cgroup2(const char* path) {
  struct statfs status {};
  return ::statfs(path, &status) == 0 && status.f_type == kCgroup2Magic;
}

// Our own group in the v2 hierarchy: the line "0::/path" of /proc/self/cgroup.
std::optional<std::string> own_cgroup() {
  auto text = read_input("/proc/self/cgroup", 64 * 1024);
  if (!text) return std::nullopt;
  const std::size_t at = text->starts_with("0::") ? 0 : text->find("\n0::");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = text->find("0::", at) + 3;
  return text->substr(begin, text->find('\n', begin) - begin);
}

std::string first_line(const std::string& path) {
  auto text = read_input(path, 64 * 1024);
  return text ? text->substr(0, text->find('\n')) : "";
}

}  // namespace

Finding check_kernel() {
  utsname name{};
  ::uname(&name);
  int major = 0;
  int minor = 0;
  std::sscanf(name.release, "%d.%d", &major, &minor);
  Finding finding{.about = "kernel", .is = fmt::format("Linux {}", name.release)};
  if (major < 5 || (major == 5 && minor < 14)) {
    finding.health = major < 5 || minor < 4 ? Health::kBad : Health::kWarn;
    finding.costs = "before 5.14 a job's tree cannot be ended in one step (cgroup.kill)";
    finding.fix = "use a kernel of 5.14 or newer";
  }
  return finding;
}

Finding check_pidfd() {
  Finding finding{.about = "pidfd, clone3", .is = "both are there"};
  const Fd own(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  // With size 0 an existing clone3 answers EINVAL and starts nothing.
  const bool clone3 = ::syscall(SYS_clone3, nullptr, 0) == -1 && errno == EINVAL;
  if (own && clone3) return finding;
  finding.health = own ? Health::kWarn : Health::kBad;
  finding.is = fmt::format("{} not usable", own      ? "clone3 is"
                                            : clone3 ? "pidfd_open is"
                                                     : "both are");
  finding.costs =
      own ? "jobs are moved into their cgroup after they start instead of being born there"
          : "the daemon cannot watch its supervisors";
  finding.fix =
      "use a kernel of 5.7 or newer; in a container, allow the call in its seccomp profile";
  return finding;
}

std::optional<std::string> own_cgroup_directory() {
  const std::optional<std::string> own = own_cgroup();
  for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    if (own && is_cgroup2(mount)) return mount + *own;
  }
  return std::nullopt;
}

Finding check_cgroups() {
  Finding finding{.about = "cgroups"};
  const std::optional<std::string> own = own_cgroup_directory();
  if (!own) {
    finding.health = Health::kWarn;
    finding.is = "there is no cgroup v2 hierarchy";
    finding.costs =
        "a job's processes are tracked by session and process group; one that leaves both "
        "on purpose can outlive its job";
    finding.fix = "boot with systemd.unified_cgroup_hierarchy=1";
    return finding;
  }
  const std::string& path = *own;
  const bool pure = is_cgroup2("/sys/fs/cgroup");
  const bool writable =
      ::access((path + "/cgroup.procs").c_str(), W_OK) == 0 && ::access(path.c_str(), W_OK) == 0;
  const std::string controllers = first_line(path + "/cgroup.controllers");
  finding.is = fmt::format("v2{}, {}, controllers: {}", pure ? "" : " (hybrid)",
                           writable ? "writable here" : "not writable here",
                           controllers.empty() ? "none" : controllers);
  if (!writable) {
    finding.health = Health::kWarn;
    finding.costs = "a daemon started from here cannot give each job a cgroup of its own";
    finding.fix =
        "start it as a service (the units delegate a cgroup): systemctl --user start "
        "gpuschedd";
  }
  return finding;
}

}  // namespace gpusched::cli
