#include "cli/doctor/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace gpusched::cli {
namespace {

// What a moved job takes of RAM: its VRAM and a little more, and the host needs some to go on.
constexpr double kMovedFactor = 1.05;
constexpr std::uint64_t kHostReserve = 2ULL << 30U;

Finding check_device_filter(const HostFacts& facts) {
  Finding finding{.about = "device filter (eBPF)"};
  constexpr const char* kOpen =
      "a job can use cards that it was not given, if it ignores its "
      "environment";
  if (!facts.filter_error) {
    finding.health = Health::kWarn;
    finding.is = "not tried without root";
    finding.costs = fmt::format("a daemon that does not run as root has none: {}", kOpen);
    finding.fix = "sudo gpusched doctor, to know what a daemon of the system could do";
  } else if (*facts.filter_error != 0) {
    finding.health = Health::kWarn;
    finding.is = fmt::format("the kernel refuses it: {}", std::strerror(*facts.filter_error));
    finding.costs = kOpen;
    finding.fix = "use a kernel with CONFIG_CGROUP_BPF; in a container, allow bpf() and CAP_BPF";
  } else {
    finding.is = "the kernel takes it, and binds it to a control group";
  }
  return finding;
}

Finding check_freezer(const HostFacts& facts) {
  Finding finding{.about = "freezer"};
  switch (facts.freezer) {
    case Freezer::kWritable:
      finding.is = "cgroup.freeze is there and writable";
      return finding;
    case Freezer::kNotWritable:
      finding.is = "cgroup.freeze is there, not writable for this user";
      finding.fix = "start the daemon as a service: the units delegate a cgroup";
      break;
    case Freezer::kAbsent:
      finding.is = "no cgroup.freeze is to be seen";
      finding.fix = "use a kernel of 5.2 or newer, and start the daemon as a service";
      break;
    case Freezer::kNoHierarchy:
      finding.is = "there is no cgroup v2 hierarchy";
      finding.fix = "boot with systemd.unified_cgroup_hierarchy=1";
      break;
  }
  finding.health = Health::kWarn;
  finding.costs = "a job's processes cannot be stopped in one step, only by a signal to each";
  return finding;
}

Finding check_huge_pages(const HostFacts& facts) {
  Finding finding{.about = "transparent huge pages",
                  .is = facts.huge_pages.empty() ? "none" : facts.huge_pages};
  if (facts.huge_pages == "always") {
    finding.is += "; VRAM goes to RAM at about 2.5 GiB/s (measured on an H200)";
    return finding;
  }
  finding.health = Health::kWarn;
  finding.costs = facts.huge_pages == "madvise"
                      ? "moving a job aside takes half as long again: about 1.6 GiB/s instead of "
                        "2.5 (on an H200)"
                      : "moving a job aside is slow: 1.6 GiB/s at best instead of 2.5 (on an H200)";
  if (!facts.huge_pages.empty()) {
    finding.fix = "echo always > /sys/kernel/mm/transparent_hugepage/enabled, as root";
  }
  return finding;
}

struct Vram {
  std::uint64_t all = 0;
  std::uint64_t largest = 0;
};
Vram vram_of(const LocalLook& look) {
  Vram vram;
  for (const CardLook& card : look.cards) {
    // A card that shares the host's memory has nothing to be moved.
    if (card.card.identity.integrated.value_or(false)) continue;
    const std::uint64_t bytes = card.card.identity.vram_bytes.value_or(0);
    vram.all += bytes;
    vram.largest = std::max(vram.largest, bytes);
  }
  return vram;
}

Finding check_memory(const HostFacts& facts, const LocalLook* look) {
  Finding finding{.about = "RAM against VRAM"};
  if (!facts.ram_bytes || !facts.ram_free_bytes) {
    finding.health = Health::kWarn;
    finding.is = "the size of RAM is not known";
    return finding;
  }
  const Vram vram = look == nullptr ? Vram{} : vram_of(*look);
  finding.is = fmt::format("{} of RAM, {} of it free; ", format_size(*facts.ram_bytes),
                           format_size(*facts.ram_free_bytes));
  if (vram.all == 0) {
    finding.is += "no card to compare it with";
    return finding;
  }
  finding.is += fmt::format("{} of VRAM, {} on the largest card", format_size(vram.all),
                            format_size(vram.largest));
  const std::uint64_t room = *facts.ram_free_bytes - std::min(*facts.ram_free_bytes, kHostReserve);
  const auto most = static_cast<std::uint64_t>(static_cast<double>(room) / kMovedFactor);
  if (most < vram.largest) {
    finding.health = Health::kWarn;
    finding.costs = fmt::format(
        "a job that uses more than {} of VRAM cannot be moved aside: its memory would go to RAM",
        format_size(most));
    finding.fix = "free or add RAM, or let large jobs save their state themselves";
  } else if (most < vram.all) {
    finding.is += fmt::format("; room to move {} aside at once", format_size(most));
  }
  return finding;
}

}  // namespace

std::vector<Finding> check_host(const HostFacts& facts, const LocalLook* look) {
  std::vector<Finding> findings = {check_device_filter(facts), check_freezer(facts),
                                   check_huge_pages(facts),    check_memory(facts, look),
                                   check_mps(facts),           check_vram_limits(facts)};
  auto moving = look == nullptr ? std::nullopt : check_moving(facts, *look);
  if (moving) findings.push_back(std::move(*moving));
  return findings;
}

}  // namespace gpusched::cli
