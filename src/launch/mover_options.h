// How the launcher starts gpusched-mover.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpusched {

struct MoverOptions {
  std::string program;                 // Empty: the one beside the launcher.
  std::vector<std::string> variables;  // Its environment, "NAME=value": where its driver is.
  std::uint64_t ram_reserve_bytes = std::uint64_t{2} << 30;  // Never filled with VRAM.
};

}  // namespace gpusched
