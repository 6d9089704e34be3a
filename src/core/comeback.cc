#include "core/comeback.h"

#include <algorithm>
#include <tuple>

#include "core/admission.h"
#include "core/idle_holder.h"
#include "core/make_room.h"
#include "core/over_quota.h"
#include "core/run_time.h"

namespace gpusched {
namespace {

// After a move that found no room: not again at once.
constexpr Microseconds kTryAgainAfter = Seconds{10};
// Behind the waiting jobs of every band.
constexpr int kLast = 2 * static_cast<int>(kBands);

bool fits_back(const State& state, std::size_t position, const CardHolds& holds,
               const CardGrant& held, const Aside& aside, std::size_t cards) {
  const Card& card = state.cards()[position];
  if (!card.usable) return false;
  if (aside.mechanism == Mechanism::kCheckpoint) {
    CardGrant wanted = held;
    wanted.least_bytes = std::max(wanted.least_bytes, aside.host_bytes / cards);
    return fits_on(card, holds, wanted, state.rules());
  }
  // Its memory never left. Alone, the cap does not apply.
  const int cap = card.share_cap_percent.value_or(state.rules().share_cap_percent);
  return holds.jobs <= 1 || (!held.whole && holds.load_percent() + held.share_percent <= cap);
}

// Nobody ends it. Who is to be let go has to be back first, and a lease before it ends.
bool may_come_back(const Running& running) {
  return running.stopping == StopReason::kNone || running.stopping == StopReason::kLetGo ||
         running.aside->ends;
}

// When it would be over if it were back now.
Wall end_if_back(const State& state, const Job& job, Now now) {
  Job here = job;
  Running& running = std::get<Running>(here.state);
  Aside aside = *running.aside;
  aside.phase = AsidePhase::kHere;
  aside.away += now.wall - aside.since;
  running.aside = std::make_shared<const Aside>(std::move(aside));
  return end_of(state, here, now, Trust::kEstimates);
}

// Of whoever is reserved for nobody knows when it starts; or it moves this one aside again then.
bool delays_nobody(const State& state, const Reservation& reservation, const Job& job) {
  if (!reservation.start) return true;
  const Job* first = state.find(reservation.job);
  const RoomRules& rules = state.rules().room;
  return first != nullptr && job.moves < rules.moves_most &&
         band_rank(job.priority) >= band_rank(first->priority) + rules.distance &&
         way_out(state, job, ram_for_moves(state, state.host_holds())).has_value();
}

}  // namespace

bool waits_aside(const Job& job) {
  const auto* running = std::get_if<Running>(&job.state);
  if (aside_phase(job) != AsidePhase::kPaused || running->aside->by_hand) return false;
  // Who is let go is beyond its limit at its own risk.
  if (running->aside->over_limit() && running->stopping != StopReason::kLetGo) return false;
  return may_come_back(*running);
}

std::vector<Waiting> waiting_aside(const State& state, Now now) {
  std::vector<Waiting> waiting;
  for (const JobId id : state.aside()) {
    const Job& job = *state.find(id);
    if (!waits_aside(job)) continue;
    const Aside& aside = *aside_of(job);
    const RoomRules& rules = state.rules().room;
    const bool overdue = now.wall - aside.since >= rules.aside_most;
    const int late = attained_level(state, job, now) > 0 ? 1 : 0;
    int before = is_asleep(rules, aside) ? kLast : 2 * band_rank(job.priority) + late;
    if (overdue) before = -1;
    waiting.push_back({&job, before});
  }
  std::ranges::sort(waiting, {}, [](const Waiting& one) {
    return std::tuple(one.before, -one.job->priority, one.job->submitted_at, one.job->id);
  });
  return waiting;
}

bool may_return(const State& state, const Tentative& free, const Job& job,
                const Reservation* reservation, Now now) {
  const Running& running = std::get<Running>(job.state);
  const Aside& aside = *running.aside;
  if (!aside.problem.empty() && now.wall - aside.tried < kTryAgainAfter) return false;
  const Grant& grant = running.grant;
  if (state.rules().room.over_quota && state.tenants().any_quota()) {
    TenantHolds holds = holds_here(state, job.tenant);
    holds.add(grant);
    if (exceeds_quota(holds, state.tenants().terms_of(job.tenant))) return false;
  }
  if (free.host.cpus + grant.cpus > state.host().cpus) return false;
  const Wall end = end_if_back(state, job, now);
  if (reservation != nullptr && delays_nobody(state, *reservation, job)) reservation = nullptr;
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) return false;
    if (state.card_bookings().against(job, *position, now.wall, end) != nullptr) return false;
    if (!fits_back(state, *position, free.cards[*position], held, aside, grant.cards.size())) {
      return false;
    }
    if (reservation != nullptr && !leaves_room_for(state, *reservation, *position, held)) {
      return false;
    }
  }
  return true;
}

void keep_its_place(const State& state, const Job& job, Tentative& free) {
  const Grant& grant = *grant_of(job);
  const bool frozen = aside_of(job)->mechanism == Mechanism::kFreeze;
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    if (frozen) {
      free.cards[*position].share_percent += held.share_percent;
    } else {
      add(free.cards[*position], held);
    }
  }
  free.host.cpus += grant.cpus;
}

bool still_valid(const State& state, const Return& back, Now now) {
  const Job* job = state.find(back.job);
  return job != nullptr && waits_aside(*job) &&
         may_return(state, Tentative(state), *job, nullptr, now);
}

}  // namespace gpusched
