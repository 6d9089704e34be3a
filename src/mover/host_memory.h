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

// What the control groups of a process that is not ours let it take on top of what it has, the
// tightest of them; cached files give way. Nullopt: none of them has a limit.
std::optional<std::uint64_t> room_in_groups(int pid);
// The same for a group below `base`, where the groups are.
std::optional<std::uint64_t> room_in_groups(const std::string& base, std::string group);

}  // namespace gpusched::mover
