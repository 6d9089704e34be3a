// Host memory: what is left of it, and how much of it the job's control group may hold. VRAM that
// leaves the cards is charged to the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpusched::mover {

// MemAvailable. Nullopt: the kernel does not say.
std::optional<std::uint64_t> available_ram();

// memory.max of the group as it is. Nullopt: no group, no such controller, or no limit.
std::optional<std::string> read_memory_max(const std::string& leaf);
bool write_memory_max(const std::string& leaf, const std::string& value);

}  // namespace gpusched::mover
