#include "core/state/siblings.h"

#include <algorithm>

namespace gpusched {

Siblings::Range Siblings::of(SignatureId signature) const {
  const auto first = shown_.lower_bound({signature, {}});
  auto last = first;
  while (last != shown_.end() && last->first.signature == signature) ++last;
  return {first, last};
}

PeakRange Siblings::find(const PastRunsKey& key) const {
  PeakRange peaks;
  const auto found = shown_.find(key);
  if (found == shown_.end()) return peaks;
  for (const auto& [attempt, peak] : found->second) peaks.add(peak);
  return peaks;
}

void Siblings::show(AttemptId attempt, const PastRunsKey& key, std::uint64_t peak_vram_bytes) {
  std::uint64_t& peak = shown_[key][attempt];
  peak = std::max(peak, peak_vram_bytes);
}

}  // namespace gpusched
