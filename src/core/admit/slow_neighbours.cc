#include "core/admit/slow_neighbours.h"

#include <algorithm>

namespace gpusched {

int slow_neighbours(const StateView& state, const Tentative& free, const Job& job,
                    std::size_t card_index) {
  const SlowPairs& pairs = state.seen().slow_pairs;
  if (pairs.empty()) return 0;
  const CardNumber number = state.cards()[card_index].number;
  const auto counts = [&](const Job& other, const Grant& grant) {
    return pairs.contains(job.signature, other.signature) &&
           std::ranges::find(grant.cards, number, &CardGrant::card) != grant.cards.end();
  };
  int slow = 0;
  for (const JobId id : state.active()) {
    const Job& other = *state.find(id);
    if (aside_phase(other) != AsidePhase::kPaused && counts(other, *grant_of(other))) ++slow;
  }
  for (const Tentative::Started& started : free.started) {
    if (counts(*started.job, started.grant)) ++slow;
  }
  return slow;
}

}  // namespace gpusched
