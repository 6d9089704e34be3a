// Why somebody stays on its cards. The planner (preempt.cc) asks the same functions, so that what
// is explained is what was decided.
#include "core/model/kind.h"
#include "core/preempt/idle_holder.h"
#include "core/preempt/move_time.h"
#include "core/preempt/preempt.h"

namespace gpusched {
namespace {

// REQUIRES: !may_move_again().
Stays why_not_yet(const StateView& state, const Job& job, Now now) {
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr || running->stopping != StopReason::kNone || is_aside(job)) {
    return Stays::kBusy;
  }
  if (job.moves >= state.rules().room.moves_most) return Stays::kTired;
  return movable_from(state, *running, now) > now.wall ? Stays::kYoung : Stays::kBusy;
}

// REQUIRES: there is no way out for it.
Stays why_no_way_out(const StateView& state, const Job& job) {
  if (state.rules().preemption == Preemption::kCooperative ||
      job.spec->preempt == PreemptPolicy::kCooperative) {
    return Stays::kSavesOnly;
  }
  if (grant_of(job)->mps) return Stays::kMps;
  if (!on_movable_cards(state, job)) return Stays::kCardsDoNotMove;
  if (refuses_moves(state, job)) return Stays::kRefused;
  return Stays::kHostRam;
}

}  // namespace

Stays why_not_moved(const StateView& state, const Job& job, const Job& for_job, Now now) {
  if (state.rules().preemption == Preemption::kOff) return Stays::kOff;
  if (job.spec->preempt == PreemptPolicy::kNever) return Stays::kNever;
  if (!kind_of(job).moves_busy) {
    return is_movable_lease(state, job, now) ? Stays::kNothing : Stays::kLease;
  }
  if (!outranks(state, for_job, job, now) && !sits_idle(state, job, now)) {
    return Stays::kAsImportant;
  }
  return is_movable(state, job, now) ? Stays::kNothing : why_not_yet(state, job, now);
}

Stays why_stays(const StateView& state, const Job& job, const Job& for_job, Now now) {
  const Stays kept = why_not_moved(state, job, for_job, now);
  if (kept != Stays::kNothing) return kept;
  const std::uint64_t ram_free = ram_for_moves(state, state.host_holds());
  if (!way_out(state, job, ram_free)) return why_no_way_out(state, job);
  const auto going = leaving_candidate(state, job, ram_free, now);
  if (!going) return Stays::kFailedLately;
  return is_worth_moving(state, *going, now) ? Stays::kNothing : Stays::kEndsSoon;
}

}  // namespace gpusched
