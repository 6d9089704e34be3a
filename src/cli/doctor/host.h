// What the host has to offer for keeping jobs apart and for moving them aside: the facts, read
// without changing anything, and what follows from them, pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/finding.h"
#include "cli/local_look.h"

namespace gpusched::cli {

enum class Freezer : unsigned char { kNoHierarchy, kAbsent, kNotWritable, kWritable };

struct HostFacts {
  bool root = false;
  // Of loading a device filter: 0, or the error; absent: not tried.
  std::optional<int> filter_error;
  Freezer freezer = Freezer::kNoHierarchy;
  std::string huge_pages;  // "always", "madvise", "never"; empty: the kernel has none.
  std::optional<std::uint64_t> ram_bytes, ram_free_bytes;
  std::optional<int> mps_pid;  // Of a running control daemon that is not one of ours.
  int own_mps = 0;             // How many of ours run.
  std::string mps_control;     // Where the program is; empty: nowhere.
  // Cards whose memory the kernel's dmem controller counts; absent: it has no such controller.
  std::optional<int> dmem_regions;
  bool mover = false;  // gpusched-mover is installed beside this program.
  // Who is not root may stop threads only of its own descendants, or of nobody (yama).
  bool threads_out_of_reach = false;
};

HostFacts read_host_facts();

// `look`: null if nobody could look at the cards.
std::vector<Finding> check_host(const HostFacts& facts, const LocalLook* look);
// What can bind `--share` and `--vram-limit` here.
Finding check_mps(const HostFacts& facts);
Finding check_vram_limits(const HostFacts& facts);
// Whether a running job's VRAM can be moved to RAM and back here. Nullopt: no NVIDIA card.
std::optional<Finding> check_moving(const HostFacts& facts, const LocalLook& look);

}  // namespace gpusched::cli
