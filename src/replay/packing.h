// Packing of parts of cards, as the FGD study measures it: tasks come in random order, none leaves,
// what does not fit is dropped. How much is handed out when as much has been asked for as there is?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/policy/pack_choice.h"
#include "replay/outcome.h"

namespace gpusched::replay {

struct PackTask {
  std::string name;
  PackRequest request;
};
struct PackNode {
  std::string name;
  PackRoom room;
};
struct PackTrace {
  std::vector<PackTask> tasks;
  std::vector<PackNode> nodes;  // By name.
};

// A task list and the node list that goes with it, both CSV; errors begin with "line N: ".
Result<PackTrace> read_openb(std::string_view tasks, std::string_view nodes);

enum class PackingPolicy { kRandom, kBestFit, kFgd };

struct PackingSettings {
  PackingPolicy policy = PackingPolicy::kFgd;
  int seeds = 1;
  std::uint64_t first_seed = 1;
  double requested_percent = 100;
  Progress progress = nullptr;
};
struct PackingResult {
  std::uint64_t tasks = 0;    // Per seed, on average.
  std::uint64_t dropped = 0;  // All seeds.
  std::int64_t cards = 0;
  std::vector<double> allocated_percent;   // By seed.
  std::vector<double> fragmented_percent;  // Of all cards; free, and no use to typical tasks.
  double mean() const;
  double deviation() const;
};
PackingResult pack(const PackTrace& trace, const PackingSettings& settings);

}  // namespace gpusched::replay
