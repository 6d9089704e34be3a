// What a job asks for: per card VRAM and share of compute, and on the host CPUs and RAM.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/ids.h"

namespace gpusched {

enum class CpuUse : std::uint8_t {
  kNever,     // Needs cards.
  kPrefer,    // Runs on CPUs when CPUs are free, else on a card.
  kFallback,  // Runs on a card when one is free, else on CPUs.
};

// `--gpus 2` is {2,2}; `--gpus 1-4` is {1,4}; `--gpus all` is {1, kAllCards}, which means every
// usable card of the machine, no fewer; `--gpus 0` is a CPU job.
struct CardCount {
  static constexpr int kAllCards = std::numeric_limits<int>::max();
  int least = 1;
  int most = 1;
  bool all() const { return most == kAllCards; }
  friend auto operator<=>(const CardCount&, const CardCount&) = default;
};

// Cards as people write them: by number, or by alias or tag. Names are looked up at each decision,
// so that a changed rule for cards counts at once.
struct CardList {
  std::vector<CardNumber> numbers;
  std::vector<std::string> names;
  bool empty() const { return numbers.empty() && names.empty(); }
  friend auto operator<=>(const CardList&, const CardList&) = default;
};

// Which cards may be taken. Empty lists do not restrict.
struct CardFilter {
  CardList only;
  CardList avoid;
  std::string type;  // Part of the model's name, without regard to case.
  friend auto operator<=>(const CardFilter&, const CardFilter&) = default;
};

struct Needs {
  CardCount gpus;
  std::uint64_t vram_bytes = 0;  // Per card. 0 with share 0: the whole card, alone.
  int share_percent = 0;         // Per card. 0: VRAM need over capacity.
  bool exclusive = false;        // Alone on its cards whatever it declares.
  int cpus = 0;
  std::uint64_t ram_bytes = 0;
  CpuUse cpu_use = CpuUse::kNever;
  CardFilter cards;

  bool wants_cards() const { return gpus.most > 0; }
  // Takes its cards whole: nobody else may be there.
  bool whole_cards() const { return exclusive || (vram_bytes == 0 && share_percent == 0); }
  friend auto operator<=>(const Needs&, const Needs&) = default;
};

// What one card must offer at least; small enough to be kept beside every shape of the queue.
struct CardAsk {
  std::uint64_t vram_bytes = 0;
  std::int16_t share_percent = 0;
  bool whole = false;
  std::int32_t cards = 1;  // Of which so many are needed.
};
inline CardAsk card_ask_of(const Needs& needs) {
  return {needs.vram_bytes, static_cast<std::int16_t>(needs.share_percent), needs.whole_cards(),
          needs.gpus.least};
}

}  // namespace gpusched
