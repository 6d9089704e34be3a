// What the kernel says about one open GPU file: /proc/PID/fdinfo/N of a DRM descriptor. The same
// client can be open under several descriptors and in several processes; its id tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched::watch {

// Counters that only grow; what counts are differences.
struct EngineUse {
  std::optional<std::uint64_t> busy_ns;
  std::optional<std::uint64_t> cycles, total_cycles;  // xe: busy and elapsed, of the card's clock.
  std::uint64_t capacity = 1;                         // Engines of this kind.
};

struct DrmClient {
  std::string driver;  // "amdgpu", "i915", "xe".
  std::string pci;     // Normal form; empty: none.
  std::uint64_t id = 0;
  std::map<std::string, EngineUse> engines;
  std::optional<std::uint64_t> vram_bytes;    // On the card.
  std::optional<std::uint64_t> shared_bytes;  // In the host's memory, mapped for the card.
};

// Nothing if these are not the lines of a DRM client.
std::optional<DrmClient> parse_fdinfo(std::string_view text);

}  // namespace gpusched::watch
