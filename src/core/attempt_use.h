// What attempts use of their cards, added up look by look: the raw material of accounts and, later,
// of estimates. Not stored while an attempt runs; its end takes the sum along.
#pragma once

#include <map>
#include <optional>

#include "core/card_view.h"
#include "core/ids.h"
#include "core/job.h"

namespace gpusched {

class AttemptUses {
 public:
  // A new look at a card; `before` is the last one.
  void add(CardNumber card, const CardView& before, const CardView& now);
  // The sum so far; nullopt: it was never seen on a card.
  std::optional<GpuUsage> of(AttemptId attempt) const;
  // Keeps only those for which `keep(attempt)` is true.
  template <class Keep>
  void prune(Keep keep) {
    std::erase_if(uses_, [&](const auto& entry) { return !keep(entry.first); });
  }

 private:
  struct Sum {
    std::map<CardNumber, std::uint64_t> now;  // What it holds on each card, by the last look.
    std::uint64_t peak_vram_bytes = 0;        // Of all its cards together.
    double seconds = 0, vram_byte_seconds = 0;
    double busy_seconds = 0, busy_percent_seconds = 0;
    double active_seconds = 0, active_percent_seconds = 0;  // SM-active, where it was alone.
    std::optional<double> energy_joules;
  };
  std::map<AttemptId, Sum> uses_;
};

}  // namespace gpusched
