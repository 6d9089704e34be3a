#include "core/decide/decide.h"

#include "core/admit/admission.h"
#include "core/decide/limits.h"
#include "core/decide/pass.h"
#include "core/preempt/over_quota.h"
#include "core/share/quota.h"

namespace gpusched {

Decided decide(const StateView& state, Now now) {
  Decided decided;
  const std::vector<Evict> evicted = relieve(state, now);
  for (const Evict& evict : evicted) decided.decisions.emplace_back(evict);
  for (const StandStill& stop : hold_growing(state, evicted, now)) {
    decided.decisions.emplace_back(stop);
  }
  for (Preempt& plan : relieve_quotas(state, now)) decided.decisions.emplace_back(std::move(plan));
  Tentative free(state);
  const Standings standings = standings_of(state, now);
  // Ends: every further pass has started at least one job.
  Returns returns(state, now);
  RoomMaker rooms(state, now);
  while (Pass(state, standings, free, decided, returns, rooms, now).run()) continue;
  returns.serve(static_cast<int>(kBands), free, rooms, decided);
  return decided;
}

Tentative left_beside(const StateView& state, const std::vector<KeptPlace>& kept, int band) {
  Tentative left(state);
  for (const KeptPlace& place : kept) {
    if (place.before > 2 * band) continue;
    const Job& job = *state.find(place.job);
    if (aside_of(job) != nullptr) {
      keep_its_place(state, job, left);
    } else {
      left.keep(state, job, place.grant);
    }
  }
  return left;
}

bool still_valid(const StateView& state, const Start& start, Now now) {
  if (!state.pending().contains(start.job)) return false;
  const Tentative free = Tentative::of_nothing(state);
  const Job& job = *state.find(start.job);
  if (limited(state, free, job, now) != Limited::kNo) return false;
  if (!within_quota(state, free, job, start.grant, now)) return false;
  for (const CardGrant& wanted : start.grant.cards) {
    const auto position = state.index_of(wanted.card);
    if (!position) return false;
    if (!fits_on(state.cards()[*position], state.holds_on(*position), wanted, state.rules())) {
      return false;
    }
  }
  return state.host_holds().cpus + start.grant.cpus <= state.host().cpus &&
         state.host_holds().ram_bytes + start.grant.ram_bytes <= state.host().ram_bytes;
}

}  // namespace gpusched
