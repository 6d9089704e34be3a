// What doctor says of the mechanisms that hold jobs to their shares of a card (docs/isolation.md).
#include <fmt/format.h>

#include "cli/doctor/host.h"

namespace gpusched::cli {

Finding check_mps(const HostFacts& facts) {
  Finding finding{.about = "MPS"};
  if (facts.mps_pid) {
    finding.health = Health::kWarn;
    finding.is = fmt::format("a control daemon that is not ours runs, pid {}", *facts.mps_pid);
    finding.costs =
        "jobs under it cannot be moved aside, and a fault of one ends all that share its server";
    finding.fix = "echo quit | nvidia-cuda-mps-control, unless it is wanted";
    return finding;
  }
  if (facts.own_mps > 0) {
    finding.is =
        fmt::format("{} of jobs run{}, as isolation.mps says",
                    facts.own_mps == 1 ? "one server" : fmt::format("{} servers", facts.own_mps),
                    facts.own_mps == 1 ? "s" : "");
    return finding;
  }
  finding.is =
      facts.mps_control.empty()
          ? "no server runs; nvidia-cuda-mps-control is not installed"
          : fmt::format("no server runs; {} is there for isolation.mps", facts.mps_control);
  return finding;
}

Finding check_vram_limits(const HostFacts& facts) {
  Finding finding{.about = "VRAM limits"};
  if (facts.dmem_regions.value_or(0) > 0) {
    finding.is = fmt::format("the kernel keeps them (dmem), for {} {} of memory",
                             *facts.dmem_regions, *facts.dmem_regions == 1 ? "region" : "regions");
    return finding;
  }
  finding.is = facts.dmem_regions ? "the kernel's dmem controller counts the memory of no card"
                                  : "the kernel has no dmem controller";
  finding.is += "; --vram-limit binds through MPS where that is on, else by watch";
  return finding;
}

}  // namespace gpusched::cli
