#include "history/track.h"

namespace gpusched::history {

Result<void> Track::turn_to(std::size_t tier, Wall start, const Shelf& shelf) {
  if (Result<void> saved = save(tier, shelf); !saved) return saved;
  Result<Block> block = shelf.load(tier, start);
  if (!block) return failure(block.error());
  open_[tier].emplace(Open{std::move(*block), false});
  return {};
}

Result<void> Track::add(Wall at, const Values& values, const Shelf& shelf) {
  used_ = true;
  for (std::size_t tier = 0; tier < kTiers; ++tier) {
    if (tiers_[tier].keep == Seconds{0}) continue;
    const Wall start = block_start(at, tiers_[tier].width);
    if (find(tier, start) == nullptr) {
      if (Result<void> turned = turn_to(tier, start, shelf); !turned) return turned;
    }
    open_[tier]->block.add(at, values);
    open_[tier]->changed = true;
  }
  return {};
}

Result<void> Track::save(std::size_t tier, const Shelf& shelf) {
  if (!open_[tier] || !open_[tier]->changed) return {};
  open_[tier]->changed = false;
  return shelf.save(tier, open_[tier]->block);
}

Result<void> Track::save_all(const Shelf& shelf) {
  for (std::size_t tier = 0; tier < kTiers; ++tier) {
    if (Result<void> saved = save(tier, shelf); !saved) return saved;
  }
  return {};
}

const Block* Track::find(std::size_t tier, Wall start) const {
  const std::optional<Open>& open = open_[tier];
  return open && open->block.start() == start ? &open->block : nullptr;
}

}  // namespace gpusched::history
