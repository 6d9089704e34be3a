// A card as admission sees it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/card_health.h"
#include "core/model/ids.h"
#include "core/model/mps.h"

namespace gpusched {

// A character device, by the kernel's numbers.
struct DeviceNode {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  friend auto operator<=>(const DeviceNode&, const DeviceNode&) = default;
};

struct Card {
  CardNumber number{};  // For people; it stays with the card (card_numbers.h).
  std::string uuid;
  std::string model;
  std::uint64_t vram_bytes = 0;           // Total.
  std::uint64_t reserved_vram_bytes = 0;  // Kept by the driver; never handed out.
  bool usable = true;                     // False: unknown or drained; nothing new starts there.
  bool drained = false;                   // By a person or by a rule of health.
  int node = 0;  // In a replay of several machines: which one. A gang does not cross them.

  std::string pci = {};  // Address; empty: not known.
  // Cards that are linked directly have the same number here; absent: no link is known.
  std::optional<int> link_group = {};
  // What the driver calls it, which changes when another card goes. Absent: its number.
  std::optional<std::uint16_t> driver_index = {};
  std::vector<DeviceNode> nodes = {};  // What a job opens to use it; empty: not known.

  // Its driver can move what a process has there to host RAM and back.
  bool moves = false;
  // Its driver has MPS, and we can start a server of it.
  bool has_mps = false;

  // What the rules of the configuration say of it (card_rules.h). Absent: what holds for all.
  std::string alias = {};
  std::vector<std::string> tags = {};
  bool managed = true;  // False: shown, and nothing is placed there.
  std::optional<std::uint64_t> vram_cap_bytes = {};
  std::optional<int> jobs_most = {};
  std::optional<bool> sharing = {};
  std::optional<MpsUse> mps = {};
  std::optional<int> share_cap_percent = {};
  std::optional<std::uint64_t> headroom_bytes = {};
  HealthRule health = {};

  // All but the driver's own: what foreign processes and jobs have together.
  std::uint64_t whole_bytes() const { return vram_bytes - reserved_vram_bytes; }
  // What jobs are given of it at most.
  std::uint64_t capacity_bytes() const {
    return std::min(whole_bytes(), vram_cap_bytes.value_or(whole_bytes()));
  }
};

// A card that gets nothing new, until it is taken back into service. Kept by UUID: numbers change
// when cards are moved.
struct Drain {
  std::string uuid;
  Wall since{};
  std::string by;      // "operator" or "health".
  std::string reason;  // For people; may be empty.
  DrainEnd ends = DrainEnd::kByHand;
  friend bool operator==(const Drain&, const Drain&) = default;
};

// What the host offers beside its cards.
struct HostCapacity {
  int cpus = 0;
  std::uint64_t ram_bytes = 0;
  int jobs_most = 0;  // At once, as many as the daemon can follow; 0: no such limit.
};

}  // namespace gpusched
