// Reads the facts of doctor_host.h from this machine.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>

#include "cli/doctor/host.h"
#include "cli/doctor/kernel.h"
#include "cli/files.h"
#include "cli/own_programs.h"
#include "jobdir/device_filter.h"
#include "jobdir/dmem.h"
#include "os/fd.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;

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

// Started by a keeper of ours, which is its parent for as long as it lives.
bool is_ours(const std::string& pid) {
  const auto status = read_input("/proc/" + pid + "/status", kMostBytes);
  constexpr std::string_view kLabel = "PPid:\t";
  const std::size_t at = status ? status->find(kLabel) : std::string::npos;
  if (at == std::string::npos) return false;
  const std::size_t begin = at + kLabel.size();
  const std::string parent = status->substr(begin, status->find('\n', begin) - begin);
  const auto comm = read_input("/proc/" + parent + "/comm", kMostBytes);
  return comm && comm->starts_with("gpusched-mps");
}

void find_mps(HostFacts& facts) {
  each_entry("/proc", [&](const std::string& name) {
    int pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid <= 0) return false;
    // The kernel keeps fifteen bytes of a name, too few to tell the daemon from its server.
    const auto comm = read_input("/proc/" + name + "/comm", kMostBytes);
    if (!comm || !comm->starts_with("nvidia-cuda-mps")) return false;
    const auto words = read_input("/proc/" + name + "/cmdline", kMostBytes);
    if (!words || words->find("nvidia-cuda-mps-control") == std::string::npos) return false;
    if (is_ours(name)) {
      ++facts.own_mps;
    } else {
      facts.mps_pid = pid;
    }
    return false;
  });
  for (const char* directory : {"/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin"}) {
    const std::string path = std::string(directory) + "/nvidia-cuda-mps-control";
    if (facts.mps_control.empty() && can(path, X_OK)) facts.mps_control = path;
  }
}

std::optional<int> count_dmem_regions() {
  const std::optional<std::string> own = own_cgroup_directory();
  if (!own) return std::nullopt;
  std::optional<int> regions;
  // Only the root of the hierarchy has the file; an empty one is one without cards.
  for (std::string group = *own; !group.empty(); group.resize(group.rfind('/'))) {
    if (!can(group + "/dmem.capacity", F_OK)) continue;
    const std::string text = read_dmem_capacity(group);
    regions = static_cast<int>(std::ranges::count(text, '\n'));
    break;
  }
  return regions;
}

}  // namespace

HostFacts read_host_facts() {
  HostFacts facts;
  facts.root = ::geteuid() == 0;
  if (facts.root) {
    const std::optional<std::string> own = own_cgroup_directory();
    facts.filter_error = own ? try_device_filter(*own) : ENOENT;
  }
  facts.freezer = find_freezer();
  if (const auto text = read_input("/sys/kernel/mm/transparent_hugepage/enabled", kMostBytes)) {
    facts.huge_pages = bracketed(*text);
  }
  if (const auto text = read_input("/proc/sys/kernel/yama/ptrace_scope", kMostBytes)) {
    facts.threads_out_of_reach = !text->starts_with('0');
  }
  if (const auto text = read_input("/proc/meminfo", kMostBytes)) {
    facts.ram_bytes = memory_line(*text, "MemTotal");
    facts.ram_free_bytes = memory_line(*text, "MemAvailable");
  }
  find_mps(facts);
  facts.dmem_regions = count_dmem_regions();
  facts.mover = program_beside("gpusched-mover").has_value();
  return facts;
}

}  // namespace gpusched::cli
