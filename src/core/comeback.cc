#include "core/comeback.h"

#include <algorithm>
#include <tuple>

#include "core/admission.h"
#include "core/make_room.h"
#include "core/over_quota.h"
#include "core/run_time.h"

namespace gpusched {
namespace {

// After a move that found no room: not again at once.
constexpr Microseconds kTryAgainAfter = Seconds{10};

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

}  // namespace

std::vector<Waiting> waiting_aside(const State& state, Now now) {
  std::vector<Waiting> waiting;
  for (const JobId id : state.aside()) {
    const Job& job = *state.find(id);
    const Running& running = std::get<Running>(job.state);
    const Aside& aside = *running.aside;
    if (aside.phase != AsidePhase::kPaused || aside.by_hand || aside.over_limit()) continue;
    if (running.stopping != StopReason::kNone) continue;
    const bool overdue = now.wall - aside.since >= state.rules().room.aside_most;
    const int late = attained_level(state, job, now) > 0 ? 1 : 0;
    waiting.push_back({&job, overdue ? -1 : 2 * band_rank(job.priority) + late});
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
  if (job == nullptr || aside_phase(*job) != AsidePhase::kPaused) return false;
  const Running& running = std::get<Running>(job->state);
  if (running.aside->by_hand || running.aside->over_limit()) return false;
  if (running.stopping != StopReason::kNone) return false;
  return may_return(state, Tentative(state), *job, nullptr, now);
}

}  // namespace gpusched
