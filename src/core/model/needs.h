// What a job asks for: per card VRAM and share of compute, and on the host CPUs and RAM.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/model/ids.h"
#include "core/model/rare.h"

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

// What past runs say of a job on one model of card (core/apply/learn.h).
struct Belief {
  std::string model;
  std::uint64_t vram_bytes = 0;
  int share_percent = 0;  // 0: not known.
  friend auto operator<=>(const Belief&, const Belief&) = default;
};

struct Needs {
  CardCount gpus;
  std::uint64_t vram_bytes = 0;  // Per card. 0 with share 0: the whole card, alone.
  int share_percent = 0;         // Per card. 0: VRAM need over capacity.
  bool exclusive = false;        // Alone on its cards whatever it declares.
  int cpus = 0;
  std::uint64_t ram_bytes = 0;
  CpuUse cpu_use = CpuUse::kNever;
  Rare<CardFilter> cards;
  // Not asked for but believed, when a decision is made; never stored.
  std::vector<Belief> beliefs = {};
  std::uint64_t vram_floor_bytes = 0;  // After an out-of-memory failure: no less than this.

  bool wants_cards() const { return gpus.most > 0; }
  bool declares_nothing() const { return vram_bytes == 0 && share_percent == 0; }
  // Takes its cards whole: nobody else may be there, at first at least.
  bool whole_cards() const { return exclusive || declares_nothing(); }
  friend auto operator<=>(const Needs&, const Needs&) = default;
};

// What one card must offer at least; small enough to be kept beside every shape of the queue.
struct CardAsk {
  std::uint64_t vram_bytes = 0;
  std::int16_t share_percent = 0;
  bool whole = false;
  bool by_history = false;  // Past runs decide: the rest is a lower bound.
  std::int32_t cards = 1;   // So many are needed.
};
inline CardAsk card_ask_of(const Needs& needs) {
  return {.vram_bytes = needs.vram_bytes,
          .share_percent = static_cast<std::int16_t>(needs.share_percent),
          .whole = needs.whole_cards(),
          .cards = needs.gpus.least};
}

}  // namespace gpusched
