// What a job says of its progress: one line, `STEP TOTAL WORDS`, in the file that GPUSCHED_PROGRESS
// names, `progress` in its checkpoint directory. That directory is the submitter's, so nothing in
// it is trusted: no link is followed, only a plain file of the submitter's is read, and only its
// first bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

struct ReportedProgress {
  std::uint64_t step = 0;
  std::uint64_t total = 0;
  Wall at{};         // When it was written.
  std::string said;  // What follows the numbers, without control characters.
  friend bool operator==(const ReportedProgress&, const ReportedProgress&) = default;
};

// Nullopt: there is none, or it makes no sense.
std::optional<ReportedProgress> read_progress(const std::string& state_directory, JobId job,
                                              std::uint32_t uid);
// Two numbers, the second at least 1 and no less than the first; then words, which may be absent.
bool parse_progress(std::string_view text, ReportedProgress& progress);

}  // namespace gpusched
