// Who is next: waiting jobs in the order in which they would start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/state/state_view.h"

namespace gpusched {

// Eligible jobs in order, then those that wait for a time or another job, then held ones.
// kSweeps: of each sweep only the job that comes first, so that one of 100,000 jobs is one line.
enum class WaitingLines : std::uint8_t { kJobs, kSweeps };
std::vector<JobId> waiting_in_order(const StateView& state, std::size_t most, Now now,
                                    WaitingLines lines = WaitingLines::kJobs);

// 1 for the next in order. None if it is not eligible, or further back than `most`.
std::optional<std::size_t> position_of(const StateView& state, JobId id, std::size_t most, Now now);

}  // namespace gpusched
