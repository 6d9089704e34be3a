#include "jobdir/numa.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/number.h"
#include "base/pci.h"
#include "base/text.h"
#include "os/small_file.h"

namespace gpusched {
namespace {

constexpr int kCpuMost = 8191;

// The first line of a small file; empty: it cannot be read.
std::string line_in(const std::string& path) {
  const std::string line = read_small_file(path, 4096);
  return line.substr(0, line.find('\n'));
}

std::optional<int> whole(std::string_view text) {
  int number = 0;
  return whole_number(text, number) ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<int> cpus_in(std::string_view list) {
  std::vector<int> cpus;
  while (!list.empty()) {
    const std::string_view part = take_until(list, ',');
    const std::size_t dash = part.find('-');
    const auto first = whole(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kCpuMost) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

NumaNodes NumaNodes::read(const std::string& sys) {
  NumaNodes nodes;
  nodes.sys_ = sys;
  const std::string path = sys + "/devices/system/node";
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (!directory) return nodes;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with("node")) continue;
    const auto number = whole(name.substr(4));
    if (!number) continue;
    std::string cpus = line_in(path + "/" + std::string(name) + "/cpulist");
    if (!cpus_in(cpus).empty()) nodes.nodes_.push_back({*number, std::move(cpus)});
  }
  std::ranges::sort(nodes.nodes_, {}, &Node::number);
  return nodes;
}

int NumaNodes::node_of(const std::string& pci) const {
  if (pci.empty() || pci.find('/') != std::string::npos) return -1;
  return whole(line_in(sys_ + "/bus/pci/devices/" + kernel_pci(pci) + "/numa_node")).value_or(-1);
}

NearCpus NumaNodes::near(const std::vector<std::string>& pci) const {
  if (nodes_.size() < 2 || pci.empty()) return {};
  const int number = node_of(pci.front());
  const bool shared =
      std::ranges::all_of(pci, [&](const std::string& one) { return node_of(one) == number; });
  const auto node = std::ranges::find(nodes_, number, &Node::number);
  if (!shared || node == nodes_.end()) return {};
  return {.cpus = node->cpus,
          .memory = std::to_string(number),
          .count = static_cast<int>(cpus_in(node->cpus).size())};
}

}  // namespace gpusched
