// MPS: NVIDIA's way for several processes to use one card at the same time, through a server of
// their user's. It binds what a job asked for: a part of the card's compute, a limit on its memory.
// The price: the driver moves no such process to host RAM (docs/isolation.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpusched {

// Which jobs run under it.
enum class MpsUse : std::uint8_t {
  kOff,     // None.
  kLimits,  // Those that ask for a share below 100 or for a limit on their memory.
  kAll,     // All that do not want their card alone.
};
const char* mps_use_name(MpsUse use);
std::optional<MpsUse> mps_use_named(std::string_view name);

}  // namespace gpusched
