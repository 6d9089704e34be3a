// Pressure: jobs that share a card and together take more than sharing may hand out, although their
// holds said otherwise. The youngest job of the lowest band that may be moved aside is, before the
// card runs out. A job alone is never under pressure.
#pragma once

#include <optional>
#include <vector>

#include "core/state.h"

namespace gpusched {

// Data, like every decision: who goes, from which card, and what was seen there.
struct Evict {
  JobId job{};
  CardNumber card{};
  std::uint64_t observed_bytes = 0;
  std::uint64_t ceiling_bytes = 0;
};

// Jobs that share the card have it fuller than may be shared, as `view` shows it.
bool under_pressure(const State& state, std::size_t card_index, const CardView& view);
// One per card at most; nothing while somebody is on its way out there already.
std::vector<Evict> relieve(const State& state);
// It still holds for the state it is applied to.
bool still_valid(const State& state, const Evict& evict);

}  // namespace gpusched
