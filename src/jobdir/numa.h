// Which CPUs and which memory are near a card, on machines with several NUMA nodes: a card whose
// data comes from the far node waits for it. Read from sysfs; what is not known binds nobody.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/launcher.h"

namespace gpusched {

// "0-3,8" as a list of CPUs, at most some thousands; empty if it is none.
std::vector<int> cpus_in(std::string_view list);

class NumaNodes {
 public:
  static NumaNodes read(const std::string& sys = "/sys");
  std::size_t count() const { return nodes_.size(); }
  // Of the one node that all cards at these PCI addresses have in common. Empty: there is none, it
  // is not known, or the machine has only one node.
  NearCpus near(const std::vector<std::string>& pci) const;

 private:
  struct Node {
    int number = 0;
    std::string cpus;
  };
  int node_of(const std::string& pci) const;

  std::string sys_;
  std::vector<Node> nodes_;  // Those that have CPUs.
};

}  // namespace gpusched
