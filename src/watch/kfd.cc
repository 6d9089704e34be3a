#include "watch/kfd.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "watch/numbers.h"

namespace gpusched::watch {
namespace {

constexpr const char* kNodes = "sys/class/kfd/kfd/topology/nodes/";
constexpr const char* kProcesses = "sys/class/kfd/kfd/proc";

}  // namespace

KfdNode parse_kfd_properties(std::string_view text) {
  KfdNode node;
  std::uint64_t domain = 0;
  std::uint64_t location = 0;
  std::uint64_t simds = 0;
  std::uint64_t simds_per_unit = 0;
  bool has_location = false;
  while (!text.empty()) {
    std::string_view value = take_until(text, '\n');
    const std::string_view key = take_until(value, ' ');
    const auto number = whole_number(value);
    if (!number) continue;
    if (key == "domain") domain = *number;
    if (key == "simd_count") simds = *number;
    if (key == "simd_per_cu") simds_per_unit = *number;
    if (key == "cpu_cores_count") node.has_cpus = *number > 0;
    if (key == "location_id") {
      location = *number;
      has_location = true;
    }
  }
  if (has_location && simds > 0 && domain <= 0xffffffff && location <= 0xffff) {
    // Bus, device and function as PCI packs them.
    node.pci = fmt::format("{:08X}:{:02X}:{:02X}.{:X}", domain, location >> 8U,
                           (location >> 3U) & 0x1fU, location & 7U);
  }
  if (simds_per_unit > 0) node.compute_units = simds / simds_per_unit;
  return node;
}

std::vector<KfdNode> kfd_nodes(const Tree& tree) {
  std::vector<KfdNode> found;
  for (const std::string& name : tree.names(kNodes)) {
    const auto gpu_id = tree.number(kNodes + name + "/gpu_id");
    const auto properties = tree.text(kNodes + name + "/properties");
    // A CPU is a node too, with the id 0.
    if (!gpu_id || *gpu_id == 0 || !properties) continue;
    KfdNode node = parse_kfd_properties(*properties);
    node.gpu_id = *gpu_id;
    if (!node.pci.empty()) found.push_back(std::move(node));
  }
  return found;
}

std::vector<KfdProcess> kfd_processes(const Tree& tree, const KfdNode& node) {
  std::vector<KfdProcess> found;
  for (const std::string& name : tree.names(kProcesses)) {
    const auto pid = process_number(name);
    if (!pid) continue;
    const std::string place = fmt::format("{}/{}", kProcesses, name);
    KfdProcess process;
    process.pid = *pid;
    process.vram_bytes = tree.number(fmt::format("{}/vram_{}", place, node.gpu_id));
    if (!process.vram_bytes) continue;
    const auto units = tree.number(fmt::format("{}/stats_{}/cu_occupancy", place, node.gpu_id));
    if (units && node.compute_units > 0) {
      process.occupied_percent =
          percent_of(static_cast<double>(*units), static_cast<double>(node.compute_units));
    }
    // A process that has opened KFD has these files for every card, whether it uses it or not.
    if (*process.vram_bytes == 0 && units.value_or(0) == 0) continue;
    found.push_back(process);
  }
  std::ranges::sort(found, {}, &KfdProcess::pid);
  return found;
}

}  // namespace gpusched::watch
