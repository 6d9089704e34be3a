// ROCm's own books: /sys/class/kfd. Compute that goes through it is not seen in fdinfo, so memory
// per process comes from here. Cards have other names there, mapped by their PCI address.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/tree.h"

namespace gpusched::watch {

struct KfdNode {
  std::uint64_t gpu_id = 0;
  std::string pci;                  // Normal form.
  std::uint64_t compute_units = 0;  // 0: unknown.
  bool has_cpus = false;            // The GPU of an APU: it shares the host's memory.
};
// The nodes that are cards.
std::vector<KfdNode> kfd_nodes(const Tree& tree);
// Of one node, from its file of properties; `gpu_id` is not in there.
KfdNode parse_kfd_properties(std::string_view text);

struct KfdProcess {
  int pid = 0;
  std::optional<std::uint64_t> vram_bytes;
  std::optional<double> occupied_percent;  // Of the compute units, at this moment.
};
// Those with a queue or memory on the node, by pid.
std::vector<KfdProcess> kfd_processes(const Tree& tree, const KfdNode& node);

}  // namespace gpusched::watch
