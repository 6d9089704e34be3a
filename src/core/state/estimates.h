// What is known of past runs, by signature and card model, and what it lets us believe of the next
// one. Bounded: so many signatures, the ones used longest ago go first, and so many runs of each.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/model/estimate_rules.h"
#include "core/model/job.h"
#include "core/model/signature.h"

namespace gpusched {

// How one attempt went.
enum class RunEnd : std::uint8_t {
  kCompleted,
  kCut,          // By its time limit: the peak counts, the duration does not.
  kOutOfMemory,  // The peak is what the next one is believed to need.
};
struct PastRun {
  AttemptId attempt;
  RunEnd end = RunEnd::kCompleted;
  std::uint64_t peak_vram_bytes = 0;  // On its fullest card; 0: not seen.
  std::optional<double> load_percent;
  Microseconds duration{0};
  friend bool operator==(const PastRun&, const PastRun&) = default;
};

struct PastRunsKey {
  SignatureId signature{};
  std::string model;  // Of the cards; empty: ran on CPUs.
  friend auto operator<=>(const PastRunsKey&, const PastRunsKey&) = default;
};
struct PastRuns {
  static constexpr std::size_t kKept = 32;
  PastRunsKey key;
  std::string tenant;
  std::string command;      // For people, without what varies.
  std::uint64_t count = 0;  // All that were ever recorded.
  std::uint64_t out_of_memory = 0;
  bool refuses_moves = false;  // The driver would not move it to host RAM.
  Wall last{};
  std::vector<PastRun> runs;  // The newest kKept, oldest first.
  friend bool operator==(const PastRuns&, const PastRuns&) = default;
};

// By what a job was recognised (core/model/signature.h).
enum class EstimateLevel : std::uint8_t { kSignature, kSweep, kProgram };
const char* level_name(EstimateLevel level);

// What the next run is believed to need of a card.
struct Estimate {
  std::uint64_t vram_bytes = 0;
  int share_percent = 0;      // 0: its load is not known.
  std::uint64_t runs = 0;     // From so many.
  std::uint64_t running = 0;  // Of those, so many still run.
  EstimateLevel level = EstimateLevel::kSignature;
};

// The peaks of several runs.
struct PeakRange {
  std::uint64_t largest = 0;
  std::uint64_t smallest = 0;
  std::uint64_t runs = 0;
  void add(std::uint64_t peak_bytes);
  void add(const PeakRange& others);
};
// From runs that were alike and not the same: the largest peak, and more the fewer they were and
// the more they differed. REQUIRES: peaks.runs > 0.
std::uint64_t hold_from_alike(const PeakRange& peaks, const EstimateRules& rules);

// Nullopt: its memory was never seen.
std::optional<Estimate> estimate_from(const PastRuns& past, const EstimateRules& rules);
// How long the next run takes at most, as nine of ten did. Nullopt: none was completed.
std::optional<Microseconds> duration_from(const PastRuns& past);

// The least of `values` that `percent` of them do not exceed. REQUIRES: !values.empty().
template <class T>
T quantile_of(std::vector<T> values, int percent);

class Estimates {
 public:
  struct Known {
    PastRuns past;
    // From them; worked out once, asked for in every turn.
    std::optional<Estimate> estimate;
    std::optional<Microseconds> duration;
    PeakRange peaks;
  };
  using Map = std::map<PastRunsKey, Known>;

  const PastRuns* find(const PastRunsKey& key) const;
  // What is known of a signature, model by model.
  struct Range {
    Map::const_iterator first, last;
    Map::const_iterator begin() const { return first; }
    Map::const_iterator end() const { return last; }
  };
  Range of(SignatureId signature) const;
  std::size_t size() const { return all_.size(); }
  // Used longest ago. REQUIRES: size() > 0.
  const PastRunsKey& oldest() const { return by_age_.begin()->second; }

  void put(PastRuns past, const EstimateRules& rules);
  void erase(const PastRunsKey& key);

 private:
  Map all_;
  std::set<std::pair<Wall, PastRunsKey>> by_age_;
};

}  // namespace gpusched
