// What this process takes of the machine.
#pragma once

#include <cstdint>
#include <optional>

namespace gpusched {

// Absent: it could not be read.
struct ProcessUse {
  std::optional<double> cpu_seconds;
  std::optional<std::uint64_t> resident_bytes, virtual_bytes;
  std::optional<std::uint64_t> open_descriptors, descriptors_most;
};
ProcessUse own_use();

}  // namespace gpusched
