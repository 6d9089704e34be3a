#include "core/state/slow_pairs.h"

#include <algorithm>

#include "core/admit/tentative.h"
#include "core/state/state.h"

namespace gpusched {

void SlowPairs::add(SignatureId a, SignatureId b) {
  if (a == SignatureId{} || b == SignatureId{}) return;
  const Pair pair = std::minmax(a, b);
  if (!pairs_.insert(pair).second) return;
  by_age_.push_back(pair);
  if (by_age_.size() <= kMost) return;
  pairs_.erase(by_age_.front());
  by_age_.pop_front();
}

bool SlowPairs::contains(SignatureId a, SignatureId b) const {
  return !pairs_.empty() && pairs_.contains(Pair(std::minmax(a, b)));
}

int slow_neighbours(const State& state, const Tentative& free, const Job& job,
                    std::size_t card_index) {
  const SlowPairs& pairs = state.slow_pairs();
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
