// A card as admission sees it.
#pragma once

#include <cstdint>
#include <string>

#include "core/ids.h"
#include "core/time.h"

namespace gpusched {

struct Card {
  CardNumber number{};
  std::string uuid;
  std::string model;
  std::uint64_t vram_bytes = 0;           // Total.
  std::uint64_t reserved_vram_bytes = 0;  // Kept by the driver; never handed out.
  bool usable = true;                     // False: unknown or drained; nothing new starts there.
  bool drained = false;                   // By a person or by a rule of health.

  std::uint64_t capacity_bytes() const { return vram_bytes - reserved_vram_bytes; }
};

// A card that gets nothing new, until it is taken back into service. Kept by UUID: numbers change
// when cards are moved.
struct Drain {
  std::string uuid;
  Wall since{};
  std::string by;           // "operator" or "health".
  std::string reason;       // For people; may be empty.
  bool until_seen = false;  // Being seen in order again ends it.
  friend bool operator==(const Drain&, const Drain&) = default;
};

// What the host offers beside its cards.
struct HostCapacity {
  int cpus = 0;
  std::uint64_t ram_bytes = 0;
};

}  // namespace gpusched
