// How many jobs wait for what, from what is known anyway: nobody is explained. Finer words for one
// job are those of why_waiting().
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/state/state_view.h"

namespace gpusched {

enum class WaitsFor : std::uint8_t {
  kRelease,     // Held, by somebody or by the crash guard.
  kTimeOrJobs,  // Not before a time, or until other jobs have ended.
  kLimit,       // Of its group or array, or of the machine.
  kQuota,       // Of its tenant.
  kDisk,        // Room for its records.
  kRoom,        // Cards, CPUs or RAM: nothing else is in its way.
  kUnlooked,    // One of those, but there are more kinds of jobs than are looked at.
};
inline constexpr std::array kAllWaitsFor = {
    WaitsFor::kRelease, WaitsFor::kTimeOrJobs, WaitsFor::kLimit,   WaitsFor::kQuota,
    WaitsFor::kDisk,    WaitsFor::kRoom,       WaitsFor::kUnlooked};
const char* waits_for_name(WaitsFor what);

struct WaitingCounts {
  std::array<std::uint64_t, kAllWaitsFor.size()> jobs{};
  // When the oldest of those was submitted that only a limit, a quota or room keeps.
  std::optional<Wall> oldest = {};
  std::uint64_t& of(WaitsFor what) { return jobs[static_cast<std::size_t>(what)]; }
  std::uint64_t of(WaitsFor what) const { return jobs[static_cast<std::size_t>(what)]; }
};
// Looks at the first job of each shape, and at no more than so many shapes.
WaitingCounts count_waiting(const StateView& state, Now now, std::size_t shapes_most = 1000);

}  // namespace gpusched
