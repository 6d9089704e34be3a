#include "store/file_system.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/text.h"

namespace gpusched {
namespace {

struct Magic {
  unsigned long number;
  std::string_view name;
};
constexpr unsigned long kFuse = 0x65735546;
constexpr std::array kNetwork = {
    Magic{0x6969, "NFS"},      Magic{0x517B, "SMB"},        Magic{0xFF534D42, "CIFS"},
    Magic{0xFE534D42, "SMB2"}, Magic{0x01021997, "9p"},     Magic{0x5346414F, "AFS"},
    Magic{0x6B414653, "AFS"},  Magic{0x00C36400, "Ceph"},   Magic{0x0BD00BD0, "Lustre"},
    Magic{0x47504653, "GPFS"}, Magic{0x19830326, "BeeGFS"}, Magic{0x73757245, "Coda"},
    Magic{0x564C, "NCP"},      Magic{0xAAD7AAEA, "PanFS"},  Magic{0x786F4256, "vboxsf"},
};
constexpr std::array<std::string_view, 12> kRemoteFuse = {
    "fuse.sshfs",     "fuse.s3fs",  "fuse.rclone",    "fuse.glusterfs",
    "fuse.ceph-fuse", "fuse.ceph",  "fuse.gcsfuse",   "fuse.goofys",
    "fuse.mount-s3",  "fuse.davfs", "fuse.curlftpfs", "fuse.juicefs",
};

std::string mount_table() {
  std::ifstream file("/proc/self/mountinfo");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string_view network_file_system_named(long magic) {
  // f_type is sign-extended on some architectures.
  const unsigned long number = static_cast<unsigned long>(magic) & 0xFFFFFFFFUL;
  const auto found = std::ranges::find(kNetwork, number, &Magic::number);
  return found == kNetwork.end() ? std::string_view() : found->name;
}

std::string_view remote_fuse_mount(std::string_view mountinfo, unsigned major, unsigned minor) {
  const std::string device = fmt::format("{}:{}", major, minor);
  while (!mountinfo.empty()) {
    std::string_view line = take_until(mountinfo, '\n');
    // Mount id, parent, device, …, "-", type.
    take_until(line, ' ');
    take_until(line, ' ');
    if (take_until(line, ' ') != device) continue;
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    line.remove_prefix(dash + 3);
    const std::string_view type = take_until(line, ' ');
    if (std::ranges::find(kRemoteFuse, type) != kRemoteFuse.end()) return type;
  }
  return {};
}

Result<void> refuse_network_file_system(const std::string& path) {
  struct statfs system {};
  struct stat status {};
  if (::statfs(path.c_str(), &system) != 0 || ::stat(path.c_str(), &status) != 0) {
    const ErrorCode code = errno == EACCES ? ErrorCode::kForbidden : ErrorCode::kIo;
    return failure(code, fmt::format("look at state directory {}: {}", path, std::strerror(errno)));
  }
  const std::string mounts =
      static_cast<unsigned long>(system.f_type) == kFuse ? mount_table() : std::string();
  std::string_view name = network_file_system_named(system.f_type);
  if (name.empty()) name = remote_fuse_mount(mounts, major(status.st_dev), minor(status.st_dev));
  if (name.empty()) return {};
  return failure(ErrorCode::kUnsupported,
                 fmt::format("state directory {} is on a network file system ({}), which cannot "
                             "keep jobs safely: choose a local one with --state-dir",
                             path, name));
}

}  // namespace gpusched
