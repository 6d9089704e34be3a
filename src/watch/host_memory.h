// How much memory a Mac has: on Apple chips it is the GPU's too.
#pragma once

#include <cstdint>
#include <optional>

#include "watch/host.h"

namespace gpusched::watch {

// Of the running system where that is macOS, else what a program `sysctl` says.
std::optional<std::uint64_t> apple_memory_bytes(const Host& host);

}  // namespace gpusched::watch
