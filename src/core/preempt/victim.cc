#include "core/preempt/victim.h"

#include <algorithm>
#include <tuple>

#include "core/model/host_margin.h"
#include "core/model/kind.h"
#include "core/preempt/idle_holder.h"
#include "core/preempt/move_time.h"
#include "core/state/belief.h"

namespace gpusched {
namespace {

// What its leaving costs; the smaller is the better one.
auto harm_of(const Candidate& one) {
  return std::tuple(-band_rank(one.job->priority), one.lost, one.moving, one.job->moves,
                    -number_of(one.job->id));
}

}  // namespace

bool refuses_moves(const StateView& state, const Job& job) {
  for (const auto& [key, known] : state.estimates().of(job.signature)) {
    if (known.past.refuses_moves) return true;
  }
  return false;
}

bool on_movable_cards(const StateView& state, const Job& job) {
  const Grant& grant = *grant_of(job);
  return std::ranges::all_of(grant.cards, [&](const CardGrant& held) {
    const auto position = state.index_of(held.card);
    return position && state.cards()[*position].moves;
  });
}

bool less_harm(const Candidate& a, const Candidate& b) { return harm_of(a) < harm_of(b); }

bool is_movable(const StateView& state, const Job& job, Now now) {
  return kind_of(job).moves_busy && may_move_again(state, job, now);
}

std::uint64_t vram_in_use(const StateView& state, const Job& job) {
  std::uint64_t bytes = 0;
  for (const CardGrant& held : grant_of(job)->cards) {
    const CardUse* use = state.seen().uses.on_card(job.current_attempt(), held.card);
    // Nobody has looked yet: all that it may have.
    bytes += use != nullptr ? use->vram_bytes : held.vram_bytes;
  }
  return bytes;
}

std::uint64_t ram_for_moves(const StateView& state, const HostHolds& holds) {
  const std::uint64_t taken = holds.ram_bytes + state.rules().room.ram_reserve_bytes;
  return state.host().ram_bytes - std::min(taken, state.host().ram_bytes);
}

std::optional<Candidate> leaving_candidate(const StateView& state, const Job& job,
                                           std::uint64_t ram_free, Now now) {
  const auto way = way_out(state, job, ram_free);
  if (!way) return std::nullopt;
  Candidate one{.job = &job, .victim = {.job = job.id, .mechanism = *way}};
  const auto pause = std::max<Microseconds>(state.rules().room.cool_down, kTryAgainAfter);
  if (*way == Mechanism::kCheckpoint && move_failed_lately(job, pause, now)) {
    // There may be another way.
    if (!job.spec->restartable) return std::nullopt;
    one.victim.mechanism = Mechanism::kRequeue;
  }
  const Mechanism how = one.victim.mechanism;
  if (how == Mechanism::kCheckpoint) {
    one.victim.bytes = vram_in_use(state, job);
    one.victim.idle = sits_idle(state, job, now);
    one.moving = time_out(state, job, one.victim.bytes) + time_back(state, job, one.victim.bytes);
  }
  if (how == Mechanism::kRequeue) one.lost = ran_for(std::get<Running>(job.state), now.wall);
  return one;
}

bool can_checkpoint(const StateView& state, const Job& job, std::uint64_t ram_free) {
  const std::uint64_t bytes = vram_in_use(state, job);
  const Grant& grant = *grant_of(job);
  return !grant.cards.empty() && !grant.mps && on_movable_cards(state, job) &&
         !refuses_moves(state, job) && with_margin(bytes) <= ram_free;
}

std::optional<Mechanism> way_out(const StateView& state, const Job& job, std::uint64_t ram_free) {
  const Preemption allowed = state.rules().preemption;
  if (allowed == Preemption::kOff || job.spec->preempt == PreemptPolicy::kNever) {
    return std::nullopt;
  }
  if (job.spec->saves) return Mechanism::kCooperative;
  if (allowed == Preemption::kCooperative || job.spec->preempt == PreemptPolicy::kCooperative) {
    return std::nullopt;
  }
  if (can_checkpoint(state, job, ram_free)) return Mechanism::kCheckpoint;
  if (job.spec->restartable) return Mechanism::kRequeue;
  return std::nullopt;
}

}  // namespace gpusched
