#include "core/preempt/resume.h"

#include <algorithm>
#include <tuple>

#include "core/admit/admission.h"
#include "core/preempt/attained_level.h"
#include "core/preempt/idle_holder.h"
#include "core/preempt/move_time.h"
#include "core/preempt/over_quota.h"
#include "core/preempt/pressure.h"
#include "core/preempt/victim.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

// Behind the waiting jobs of every band.
constexpr int kLast = 2 * static_cast<int>(kBands);

bool fits_back(const StateView& state, const Job& job, const CardGrant& held, std::size_t position,
               const CardHolds& holds) {
  return lack_for_return(state, job, held, position, holds).what == Lack::kNothing;
}

// Nobody ends it. Who is to be let go has to be back first, and a lease before it ends.
bool may_come_back(const Running& running) {
  return running.stopping == StopReason::kNone || running.stopping == StopReason::kLetGo ||
         aside_of(running)->ends;
}

// When it would be over if it were back now.
Wall end_if_back(const StateView& state, const Job& job, Now now) {
  Job here = job;
  return_to_cards(here, now.wall);
  return end_of(state, here, now, Trust::kEstimates);
}

// The first in order has no known start, or would move this one aside again when it starts.
bool delays_nobody(const StateView& state, const ReservedStart& reserved, const Job& job) {
  if (!reserved.start) return true;
  const Job* first = state.find(reserved.job);
  const RoomRules& rules = state.rules().room;
  return first != nullptr && job.moves < rules.moves_most &&
         band_rank(job.priority) >= band_rank(first->priority) + rules.distance &&
         way_out(state, job, ram_for_moves(state, state.host_holds())).has_value();
}

}  // namespace

CardLack lack_for_return(const StateView& state, const Job& job, const CardGrant& held,
                         std::size_t position, const CardHolds& holds) {
  const Card& card = state.cards()[position];
  const Aside& aside = *aside_of(job);
  const std::size_t cards = grant_of(job)->cards.size();
  CardLack lack{.card = held.card};
  if (!card.usable) {
    lack.what = Lack::kUnusable;
  } else if (aside.mechanism == Mechanism::kCheckpoint) {
    CardGrant wanted = held;
    wanted.least_bytes = std::max(wanted.least_bytes, aside.host_bytes / cards);
    if (held.vram_bytes >= kUnknownHold) {
      wanted.vram_bytes = card.capacity_bytes();
      wanted.whole = true;  // Nobody knows what it needs: it returns where it is alone.
    }
    // What is seen there of itself is not in its way.
    CardHolds others = holds;
    others.ungranted.vram_bytes -=
        std::min(others.ungranted.vram_bytes, seen_while_away(state, job, position));
    lack = lack_on(card, others, wanted, state.rules());
  } else if (holds.share_percent > 0) {
    // Its memory never left. Where nobody else computes the cap does not apply; who is frozen there
    // as well does not.
    const int cap = card.share_cap_percent.value_or(state.rules().share_cap_percent);
    const bool fits = !held.whole && load_on(holds, state.rules()) + held.share_percent <= cap;
    if (!fits) lack.what = Lack::kCompute;
  }
  return lack;
}

bool waits_aside(const Job& job) {
  const Aside* aside = aside_of(job);
  if (aside == nullptr || aside->phase != AsidePhase::kPaused || aside->by_hand) return false;
  const Running& running = std::get<Running>(job.state);
  // A process that is let go exceeds its limit at its own risk.
  if (aside->over_limit_until && running.stopping != StopReason::kLetGo) return false;
  return may_come_back(running);
}

std::vector<Waiting> waiting_aside(const StateView& state, Now now) {
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

bool may_return(const StateView& state, const Tentative& free, const Job& job,
                const ReservedStart* reserved, Now now) {
  if (move_failed_lately(job, kTryAgainAfter, now)) return false;
  if (stands_still(job)) return may_go_on(state, job, now);
  const bool pressed = aside_of(job)->why == AsideWhy::kPressure;
  if (pressed && !neighbours_are_calm(state, job, now)) return false;
  const Grant& grant = *grant_of(job);
  if (would_exceed_quota(state, job)) return false;
  if (free.host.cpus + grant.cpus > state.host().cpus) return false;
  const Wall end = end_if_back(state, job, now);
  if (reserved != nullptr && delays_nobody(state, *reserved, job)) reserved = nullptr;
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) return false;
    if (state.card_reservations().against(job, *position, now.wall, end) != nullptr) return false;
    if (!fits_back(state, job, held, *position, free.cards[*position])) return false;
    if (reserved != nullptr && !leaves_room_for(state, *reserved, *position, held)) {
      return false;
    }
  }
  return true;
}

void keep_its_place(const StateView& state, const Job& job, Tentative& free) {
  if (stands_still(job)) return;  // It never gave it up.
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

const std::vector<CardHolds>& FrozenJobs::left(bool without_waiting) const {
  auto& left = without_waiting ? stopped_ : frozen_;
  if (left) return *left;
  Tentative without(state_);
  for (const JobId id : state_.active()) {
    const Job& job = *state_.find(id);
    const bool frozen = aside_phase(job) == AsidePhase::kPaused && !stands_still(job);
    if (frozen && !(without_waiting && waits_aside(job))) continue;
    Grant away;
    for (const CardGrant& held : held_by(job, std::move(away)).cards) {
      const auto position = state_.index_of(held.card);
      if (!position) continue;
      take_away(state_, job, held, without.cards[*position]);
    }
  }
  left = std::move(without.cards);
  return *left;
}

bool FrozenJobs::fits_beside(const Job& job, const std::vector<CardHolds>& still) const {
  return std::ranges::all_of(grant_of(job)->cards, [&](const CardGrant& held) {
    const auto position = state_.index_of(held.card);
    return position && fits_back(state_, job, held, *position, still[*position]);
  });
}

std::vector<const Job*> FrozenJobs::in_the_way_of(const Job& job) const {
  std::vector<const Job*> found;
  if (fits_beside(job, left(false))) return found;
  const auto shares_a_card = [&](const CardGrant& held) {
    return given_on(job, held.card) != nullptr;
  };
  for (const JobId id : state_.aside()) {
    const Job& other = *state_.find(id);
    if (id == job.id || !waits_aside(other) || stands_still(other)) continue;
    Grant away;
    if (std::ranges::any_of(held_by(other, std::move(away)).cards, shares_a_card)) {
      found.push_back(&other);
    }
  }
  return found;
}

bool FrozenJobs::has_an_end(const Job& job) const { return fits_beside(job, left(true)); }

bool still_valid(const StateView& state, const Resume& back, Now now) {
  const Job* job = state.find(back.job);
  return job != nullptr && waits_aside(*job) &&
         may_return(state, Tentative(state), *job, nullptr, now);
}

}  // namespace gpusched
