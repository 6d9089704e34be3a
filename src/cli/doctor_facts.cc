// Reads the facts of doctor_host.h from this machine.
#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

#include "base/fd.h"
#include "cli/doctor_host.h"
#include "cli/files.h"
#include "cli/own_programs.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;

// Attaches to a group that is made for it and goes with it; nobody is in there. 0 or errno.
int try_attach(int program) {
  const std::optional<std::string> own = own_cgroup_directory();
  if (!own) return ENOENT;
  const std::string path = *own + "/gpusched-doctor-" + std::to_string(::getpid());
  if (::mkdir(path.c_str(), 0700) != 0) return errno;
  int error = 0;
  {
    const Fd group(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    bpf_attr attributes{};
    attributes.target_fd = static_cast<std::uint32_t>(group.get());
    attributes.attach_bpf_fd = static_cast<std::uint32_t>(program);
    attributes.attach_type = BPF_CGROUP_DEVICE;
    attributes.attach_flags = BPF_F_ALLOW_MULTI;
    if (::syscall(SYS_bpf, BPF_PROG_ATTACH, &attributes, sizeof attributes) != 0) error = errno;
  }
  ::rmdir(path.c_str());
  return error;
}

// Loads the smallest device filter, which allows everything, attaches it where nobody is, and lets
// go of it at once.
int try_device_filter() {
  const std::array<bpf_insn, 2> program = {
      bpf_insn{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 1},
      bpf_insn{.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
  static constexpr char kLicence[] = "Apache-2.0";
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  attributes.insns = reinterpret_cast<std::uint64_t>(program.data());
  attributes.insn_cnt = program.size();
  attributes.license = reinterpret_cast<std::uint64_t>(kLicence);
  const Fd loaded(
      static_cast<int>(::syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof attributes)));
  return loaded ? try_attach(loaded.get()) : errno;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// Calls `visit` with every name until it returns true.
template <class Visit>
void each_entry(const std::string& path, Visit visit) {
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  if (!directory) return;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (visit(std::string(entry->d_name))) return;
  }
}

bool can(const std::string& path, int mode) { return ::access(path.c_str(), mode) == 0; }

Freezer find_freezer() {
  const std::optional<std::string> own = own_cgroup_directory();
  if (!own) return Freezer::kNoHierarchy;
  const std::string file = *own + "/cgroup.freeze";
  if (can(file, F_OK)) return can(file, W_OK) ? Freezer::kWritable : Freezer::kNotWritable;
  // The root of the hierarchy has no such file, the groups below it have.
  Freezer found = Freezer::kAbsent;
  each_entry(*own, [&](const std::string& name) {
    const std::string below = *own + "/" + name + "/cgroup.freeze";
    if (name.starts_with('.') || !can(below, F_OK)) return false;
    found = can(below, W_OK) ? Freezer::kWritable : Freezer::kNotWritable;
    return true;
  });
  return found;
}

// "always [madvise] never" -> "madvise".
std::string bracketed(const std::string& text) {
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return text.substr(begin + 1, end - begin - 1);
}

std::optional<std::uint64_t> memory_line(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + ":");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t digits = text.find_first_of("0123456789", at);
  if (digits == std::string::npos) return std::nullopt;
  std::uint64_t kib = 0;
  std::from_chars(text.data() + digits, text.data() + text.size(), kib);
  return kib * 1024;
}

std::optional<int> find_mps() {
  std::optional<int> found;
  each_entry("/proc", [&](const std::string& name) {
    int pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid <= 0) return false;
    // The kernel keeps fifteen bytes of a name, too few to tell the daemon from its server.
    const auto comm = read_input("/proc/" + name + "/comm", kMostBytes);
    if (!comm || !comm->starts_with("nvidia-cuda-mps")) return false;
    const auto words = read_input("/proc/" + name + "/cmdline", kMostBytes);
    if (!words || words->find("nvidia-cuda-mps-control") == std::string::npos) return false;
    found = pid;
    return true;
  });
  return found;
}

}  // namespace

HostFacts read_host_facts() {
  HostFacts facts;
  facts.root = ::geteuid() == 0;
  if (facts.root) facts.filter_error = try_device_filter();
  facts.freezer = find_freezer();
  if (const auto text = read_input("/sys/kernel/mm/transparent_hugepage/enabled", kMostBytes)) {
    facts.huge_pages = bracketed(*text);
  }
  if (const auto text = read_input("/proc/meminfo", kMostBytes)) {
    facts.ram_bytes = memory_line(*text, "MemTotal");
    facts.ram_free_bytes = memory_line(*text, "MemAvailable");
  }
  facts.mps_pid = find_mps();
  facts.mover = program_beside("gpusched-mover").has_value();
  return facts;
}

}  // namespace gpusched::cli
