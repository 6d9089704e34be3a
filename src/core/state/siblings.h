// What jobs show of their programs while they still run: the peaks of those whose memory no longer
// grows. A copy that waits need not wait for the first one's end to be judged by it. Derived from
// looks at the cards, never stored: a new daemon sees it anew within seconds.
#pragma once

#include <cstdint>
#include <map>

#include "core/model/ids.h"
#include "core/state/estimates.h"

namespace gpusched {

class Siblings {
 public:
  // Peaks of running attempts, by what they are recognised by and the model of their cards.
  using Map = std::map<PastRunsKey, std::map<AttemptId, std::uint64_t>>;
  struct Range {
    Map::const_iterator first, last;
    Map::const_iterator begin() const { return first; }
    Map::const_iterator end() const { return last; }
  };
  bool empty() const { return shown_.empty(); }
  Range of(SignatureId signature) const;
  // The peaks that were shown under one key; none: runs is 0.
  PeakRange find(const PastRunsKey& key) const;

  // `peak_vram_bytes` is on the attempt's fullest card.
  void show(AttemptId attempt, const PastRunsKey& key, std::uint64_t peak_vram_bytes);
  // Keeps only those for which `keep(attempt)` is true.
  template <class Keep>
  void prune(Keep keep) {
    for (auto& [key, peaks] : shown_) {
      std::erase_if(peaks, [&](const auto& shown) { return !keep(shown.first); });
    }
    std::erase_if(shown_, [](const auto& entry) { return entry.second.empty(); });
  }

 private:
  Map shown_;
};

}  // namespace gpusched
