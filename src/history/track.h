// What is being written about one card or attempt: per tier the block that the last point fell
// into. A point of another time brings that time's block from the database, so that a clock that
// jumps back adds to what is there and one that jumps ahead leaves a gap; neither loses anything.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "base/result.h"
#include "history/block.h"
#include "history/tiers.h"

namespace gpusched::history {

// Where blocks are when they are not being written.
struct Shelf {
  // An empty block if there is none yet.
  std::function<Result<Block>(std::size_t tier, Wall start)> load;
  std::function<Result<void>(std::size_t tier, const Block& block)> save;
};

class Track {
 public:
  Track(std::span<const Metric> metrics, const Tiers& tiers) : metrics_(metrics), tiers_(tiers) {}

  std::span<const Metric> metrics() const { return metrics_; }
  Result<void> add(Wall at, const Values& values, const Shelf& shelf);
  // Writes what has changed since it was last written.
  Result<void> save(std::size_t tier, const Shelf& shelf);
  Result<void> save_all(const Shelf& shelf);
  // The block being written, if it is that one.
  const Block* find(std::size_t tier, Wall start) const;
  // False after a while without points: then it need not stay in memory.
  bool take_used() { return std::exchange(used_, false); }

 private:
  struct Open {
    Block block;
    bool changed = false;
  };
  Result<void> turn_to(std::size_t tier, Wall start, const Shelf& shelf);

  std::span<const Metric> metrics_;
  Tiers tiers_;
  std::array<std::optional<Open>, kTiers> open_;
  bool used_ = false;
};

}  // namespace gpusched::history
