#include "jobdir/device_filter.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/pci.h"

namespace gpusched {
namespace {

// Registers: what is asked (1), then its kind, major and minor number.
constexpr std::uint8_t kContext = BPF_REG_1;
constexpr std::uint8_t kKind = BPF_REG_2;
constexpr std::uint8_t kMajor = BPF_REG_3;
constexpr std::uint8_t kMinor = BPF_REG_4;

bpf_insn instruction(int code, std::uint8_t to, std::uint8_t from, int offset, std::int64_t value) {
  bpf_insn made{};
  made.code = static_cast<std::uint8_t>(code);
  made.dst_reg = to & 15U;
  made.src_reg = from & 15U;
  made.off = static_cast<std::int16_t>(offset);
  made.imm = static_cast<std::int32_t>(value);
  return made;
}

bpf_insn load(std::uint8_t to, std::size_t offset) {
  return instruction(BPF_LDX | BPF_W | BPF_MEM, to, kContext, static_cast<int>(offset), 0);
}
// Leaves out so many instructions if the comparison holds.
bpf_insn skip_if(int comparison, std::uint8_t number, std::int64_t value, int skipped) {
  return instruction(BPF_JMP | comparison | BPF_K, number, 0, skipped, value);
}
void answer(std::vector<bpf_insn>& program, bool allow) {
  program.push_back(instruction(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, allow ? 1 : 0));
  program.push_back(instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
}

int bpf(int command, bpf_attr& attributes) {
  return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

Fd load_program(const std::vector<bpf_insn>& program) {
  static constexpr char kLicence[] = "Apache-2.0";
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  attributes.insns = reinterpret_cast<std::uint64_t>(program.data());
  attributes.insn_cnt = static_cast<std::uint32_t>(program.size());
  attributes.license = reinterpret_cast<std::uint64_t>(kLicence);
  return Fd(bpf(BPF_PROG_LOAD, attributes));
}

bool attach(int group, int program) {
  bpf_attr attributes{};
  attributes.target_fd = static_cast<std::uint32_t>(group);
  attributes.attach_bpf_fd = static_cast<std::uint32_t>(program);
  attributes.attach_type = BPF_CGROUP_DEVICE;
  attributes.attach_flags = BPF_F_ALLOW_MULTI;
  return bpf(BPF_PROG_ATTACH, attributes) == 0;
}

auto refused_by_kernel() {
  return failure(ErrorCode::kUnsupported,
                 std::string("the kernel refuses it: ") + std::strerror(errno));
}

}  // namespace

std::vector<bpf_insn> device_program(const DeviceFilter& filter) {
  std::vector<bpf_insn> program;
  program.push_back(load(kKind, offsetof(bpf_cgroup_dev_ctx, access_type)));
  program.push_back(instruction(BPF_ALU64 | BPF_AND | BPF_K, kKind, 0, 0, 0xffff));
  program.push_back(load(kMajor, offsetof(bpf_cgroup_dev_ctx, major)));
  program.push_back(load(kMinor, offsetof(bpf_cgroup_dev_ctx, minor)));
  program.push_back(skip_if(BPF_JEQ, kKind, BPF_DEVCG_DEV_CHAR, 2));
  answer(program, true);
  for (const DeviceNode& node : filter.allowed) {
    program.push_back(skip_if(BPF_JNE, kMajor, node.major, 3));
    program.push_back(skip_if(BPF_JNE, kMinor, node.minor, 2));
    answer(program, true);
  }
  for (const DeviceRange& range : filter.guarded) {
    program.push_back(skip_if(BPF_JNE, kMajor, range.major, 4));
    program.push_back(skip_if(BPF_JLT, kMinor, range.first, 3));
    program.push_back(skip_if(BPF_JGT, kMinor, range.last, 2));
    answer(program, false);
  }
  answer(program, true);
  return program;
}

Result<LoadedFilter> load_filter(const DeviceFilter& filter) {
  Fd program = load_program(device_program(filter));
  if (!program) return refused_by_kernel();
  return LoadedFilter{filter, std::move(program)};
}

Result<void> bind_filter(int group, const LoadedFilter& loaded) {
  if (!attach(group, loaded.program.get())) return refused_by_kernel();
  return {};
}

int try_device_filter(const std::string& parent) {
  const std::string path = parent + "/gpusched-filter-" + std::to_string(::getpid());
  const Fd program = load_program(device_program({}));
  if (!program) return errno;
  if (::mkdir(path.c_str(), 0700) != 0) return errno;
  int error = 0;
  {
    const Fd group(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!group || !attach(group.get(), program.get())) error = errno;
  }
  ::rmdir(path.c_str());
  return error;
}

std::vector<DeviceNode> drm_nodes_of(const std::string& sysfs, const std::string& pci) {
  const std::string place = sysfs + "/bus/pci/devices/" + kernel_pci(pci) + "/drm/";
  std::vector<DeviceNode> nodes;
  DIR* directory = ::opendir(place.c_str());
  if (directory == nullptr) return nodes;
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    std::FILE* file = std::fopen((place + entry->d_name + "/dev").c_str(), "re");
    if (file == nullptr) continue;
    DeviceNode node;
    if (std::fscanf(file, "%u:%u", &node.major, &node.minor) == 2) nodes.push_back(node);
    std::fclose(file);
  }
  ::closedir(directory);
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace gpusched
