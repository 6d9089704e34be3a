// How much host RAM must be free to take so much of a card: gpusched-mover asks for the same.
#pragma once

#include <cstdint>

namespace gpusched {

inline std::uint64_t with_margin(std::uint64_t bytes) { return bytes + bytes / 20; }

}  // namespace gpusched
