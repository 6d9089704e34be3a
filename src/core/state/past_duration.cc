#include "core/state/past_duration.h"

#include "core/model/kind.h"

namespace gpusched {

std::optional<Microseconds> past_duration(const Estimates& estimates, const Job& job,
                                          const std::string* model) {
  if (estimates.size() == 0 || !kind_of(job).lasts_as_before) return std::nullopt;
  const Signatures by = signatures_of(job);
  // Runs of one program with other arguments may take any time.
  for (const SignatureId id : {by.exact, by.sweep}) {
    std::optional<Microseconds> longest;
    if (id == SignatureId{}) continue;
    for (const auto& [key, known] : estimates.of(id)) {
      if (model && key.model != *model) continue;
      if (known.duration && (!longest || *known.duration > *longest)) longest = known.duration;
    }
    if (longest) return longest;
  }
  return std::nullopt;
}

std::optional<Microseconds> longest_run(const Job& job) {
  const TimeRule& time = job.spec->time;
  if (time.limit == Seconds{0}) return std::nullopt;
  return time.limit + time.grace;
}

}  // namespace gpusched
