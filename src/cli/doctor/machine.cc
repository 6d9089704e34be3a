#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "cli/doctor/machine.h"
#include "cli/files.h"
#include "cli/views/views.h"
#include "os/locations.h"

namespace gpusched::cli {
namespace {

constexpr std::uint64_t kDiskLeast = 1ULL << 30;
// A daemon that is busy answers this within milliseconds; one that hangs is a finding.
constexpr std::chrono::milliseconds kDaemonPatience{5'000};

struct NamedMagic {
  long magic;
  std::string_view name;
  bool network;
};
constexpr std::array kFileSystems = {
    NamedMagic{0x6969, "NFS", true},        NamedMagic{0xFE534D42, "SMB", true},
    NamedMagic{0xFF534D42, "CIFS", true},   NamedMagic{0x517B, "SMB", true},
    NamedMagic{0x00C36400, "Ceph", true},   NamedMagic{0x0BD00BD0, "Lustre", true},
    NamedMagic{0x47504653, "GPFS", true},   NamedMagic{0x01021997, "9p", true},
    NamedMagic{0x65735546, "FUSE", false},  NamedMagic{0x01021994, "tmpfs", false},
    NamedMagic{0xEF53, "ext4", false},      NamedMagic{0x58465342, "XFS", false},
    NamedMagic{0x9123683E, "btrfs", false}, NamedMagic{0x794C7630, "overlayfs", false},
    NamedMagic{0x2FC12FC1, "ZFS", false},   NamedMagic{0xF2F52010, "F2FS", false}};

// The directory itself, or the nearest one above it that exists.
std::string existing_part(std::string path) {
  struct stat status {};
  while (path.size() > 1 && ::stat(path.c_str(), &status) != 0) {
    path.resize(std::max<std::size_t>(path.rfind('/'), 1));
  }
  return path;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string in_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  for (const std::string_view place : split(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    const std::string full = fmt::format("{}/{}", place, program);
    if (::access(full.c_str(), X_OK) == 0) return full;
  }
  return "";
}

}  // namespace

Finding check_state_directory(const std::string& path) {
  Finding finding{.about = "state directory"};
  const std::string there = existing_part(path);
  struct statfs status {};
  if (::statfs(there.c_str(), &status) != 0) {
    finding.health = Health::kBad;
    finding.is = fmt::format("{}: {}", path, std::strerror(errno));
    finding.costs = "the daemon cannot keep its queue there";
    finding.fix = "choose another with gpusched serve --state-dir DIR";
    return finding;
  }
  const auto magic = static_cast<long>(static_cast<unsigned long>(status.f_type) & 0xFFFFFFFFUL);
  std::string name = fmt::format("file system {:#x}", magic);
  bool network = false;
  for (const NamedMagic& known : kFileSystems) {
    if (known.magic != magic) continue;
    name = known.name;
    network = known.network;
  }
  finding.is = fmt::format("{} on {}{}", path, name, there == path ? "" : " (will be created)");
  if (network) {
    finding.health = Health::kBad;
    finding.costs =
        "the daemon refuses it: locks and syncs of a network file system cannot be trusted";
    finding.fix = "choose a local directory with gpusched serve --state-dir DIR";
  } else if (name == "tmpfs") {
    finding.health = Health::kWarn;
    finding.costs = "the queue is lost at the next boot";
    finding.fix = "choose a directory on disk with gpusched serve --state-dir DIR";
  } else if (::access(there.c_str(), W_OK) != 0) {
    finding.health = Health::kWarn;
    finding.is += ", not writable for this user";
    finding.costs = "a daemon of this user cannot keep its queue there";
    finding.fix = "choose another with gpusched serve --state-dir DIR";
  }
  return finding;
}

Finding check_disk(const std::string& path) {
  Finding finding{.about = "free disk"};
  struct statvfs status {};
  const std::string there = existing_part(path);
  if (::statvfs(there.c_str(), &status) != 0) {
    finding.health = Health::kWarn;
    finding.is = fmt::format("{}: {}", there, std::strerror(errno));
    return finding;
  }
  const std::uint64_t free = static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
  finding.is = fmt::format("{} free at {}", format_size(free), there);
  if (free < kDiskLeast) {
    finding.health = Health::kWarn;
    finding.costs = "when it is full, new jobs are refused and logs are cut short";
    finding.fix = "make room, or keep fewer ended jobs (retention in the configuration)";
  }
  return finding;
}

Finding check_driver_library() {
  Finding finding{.about = "GPU driver"};
  for (const std::string_view directory :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu", "/usr/lib",
        "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/lib/wsl/lib", "/run/opengl-driver/lib",
        "/usr/local/nvidia/lib64"}) {
    const std::string library = fmt::format("{}/libnvidia-ml.so.1", directory);
    if (!exists(library)) continue;
    auto version = read_input("/sys/module/nvidia/version", 4096);
    if (version) {
      finding.is = fmt::format("NVIDIA {}, {}", version->substr(0, version->find('\n')), library);
      return finding;
    }
    finding.health = Health::kWarn;
    finding.is = library + ", but the kernel module is not loaded";
    finding.costs = "no card can be used";
    finding.fix = "modprobe nvidia, or reboot after a driver update";
    return finding;
  }
  finding.health = Health::kWarn;
  finding.is = "there is no libnvidia-ml.so.1";
  finding.costs = "no real cards: jobs without cards run, --sim shows the rest";
  finding.fix = "install the NVIDIA driver of the distribution";
  return finding;
}

Finding check_nvidia_smi() {
  Finding finding{.about = "nvidia-smi"};
  if (const std::string found = in_path("nvidia-smi"); !found.empty()) {
    finding.is = found;
  } else {
    finding.is = "not in PATH; gpusched does not need it";
  }
  return finding;
}

Finding check_units() {
  Finding finding{.about = "systemd units"};
  std::vector<std::string> found;
  for (const std::string_view path :
       {"/etc/systemd/system/gpuschedd.service", "/usr/lib/systemd/system/gpuschedd.service",
        "/usr/local/lib/systemd/system/gpuschedd.service",
        "/lib/systemd/system/gpuschedd.service"}) {
    if (exists(std::string(path)) && found.empty()) found.emplace_back("system");
  }
  std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  for (const std::string& path : {home + "/.config/systemd/user/gpuschedd.service",
                                  std::string("/usr/lib/systemd/user/gpuschedd.service"),
                                  std::string("/usr/local/lib/systemd/user/gpuschedd.service"),
                                  std::string("/etc/systemd/user/gpuschedd.service")}) {
    if (exists(path) && (found.empty() || found.back() != "user")) found.emplace_back("user");
  }
  if (!found.empty()) {
    finding.is = fmt::format("installed: {}", fmt::join(found, ", "));
    return finding;
  }
  finding.health = Health::kWarn;
  finding.is = "not installed";
  finding.costs = "the daemon does not come back by itself after a reboot";
  finding.fix = "cmake --install the build, then systemctl --user enable --now gpuschedd";
  return finding;
}

Finding check_daemon(const Client& client, std::string& state_directory) {
  Finding finding{.about = "daemon"};
  auto body = client.call({.target = "/v1/version"}, kDaemonPatience);
  if (!body) {
    finding.health = Health::kBad;
    finding.is = body.error().message;
    finding.costs = "nothing can be submitted";
    return finding;
  }
  auto version = parse_version(*body);
  if (!version) {
    finding.health = Health::kBad;
    finding.is = version.error().message;
    return finding;
  }
  if (!version->state_directory.empty()) state_directory = version->state_directory;
  finding.is =
      fmt::format("version {} runs as pid {} of user {}, cards: {}", version->version, version->pid,
                  version->uid, version->cards_from.empty() ? "unknown" : version->cards_from);
  if (version->version != GPUSCHED_VERSION) {
    finding.health = Health::kWarn;
    finding.is += fmt::format("; this client is {}", GPUSCHED_VERSION);
    finding.costs = "new flags may not be understood by the older of the two";
    finding.fix = "restart the daemon after an upgrade; running jobs are not disturbed";
  }
  for (const std::string& problem : version->problems) {
    finding.health = Health::kBad;
    finding.is += "; " + problem;
  }
  return finding;
}

}  // namespace gpusched::cli
