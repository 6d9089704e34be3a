// Parts of byte counts, to the byte and without overflow.
#pragma once

#include <cstdint>

namespace gpusched {

constexpr std::uint64_t percent_of(std::uint64_t bytes, int percent) {
  const auto part = static_cast<std::uint64_t>(percent);
  return bytes / 100 * part + bytes % 100 * part / 100;
}

}  // namespace gpusched
