#include "core/apply/apply.h"

#include <algorithm>

#include "base/words.h"
#include "core/apply/learn.h"
#include "core/apply/transitions.h"
#include "core/decide/look_first.h"
#include "core/place/placement.h"
#include "core/place/under_mps.h"

namespace gpusched {
namespace {

// As many as one likes can be given the same time; the rest is due in the next turn.
constexpr std::size_t kExpiredPerTurn = 500;

Applied apply_time(State& state, Now now) {
  for (const JobId id : state.expired(now, kExpiredPerTurn)) {
    Job job = *state.find(id);
    Ended ended{.outcome = Outcome::kCancelled, .cause = Cause::kExpired};
    ended.message = "did not start before its expiry time";
    ended.ended_at = now.wall;
    end_job(state, std::move(job), std::move(ended), now);
  }
  end_reservations(state, now);
  end_due_leases(state, now);
  state.advance(now);
  Applied applied;
  end_over_limit(state, now, applied);
  send_due_messages(state, now, applied);
  return applied;
}

// One case per event; adding an event without a case does not compile.
struct Dispatch {
  State& state;
  Now now;

  Applied operator()(const SubmitAsked& event) const { return apply_submit(state, event, now); }
  Applied operator()(const LeasesAsked& event) const { return apply_leases(state, event, now); }
  Applied operator()(const CancelAsked& event) const { return apply_cancel(state, event, now); }
  Applied operator()(const HoldAsked& event) const { return apply_hold(state, event, now); }
  Applied operator()(const ReleaseAsked& event) const { return apply_release(state, event, now); }
  Applied operator()(const PauseAsked& event) const { return apply_pause(state, event, now); }
  Applied operator()(const ResumeAsked& event) const { return apply_resume(state, event, now); }
  Applied operator()(const RequeueAsked& event) const { return apply_requeue(state, event, now); }
  Applied operator()(const SetAsked& event) const { return apply_set(state, event, now); }
  Applied operator()(const AdoptAsked& event) const { return apply_adopt(state, event, now); }
  Applied operator()(const LetGoAsked& event) const { return apply_let_go(state, event, now); }
  Applied operator()(const GroupSetAsked& event) const { return apply_group_set(state, event); }
  Applied operator()(const GroupRemoveAsked& event) const {
    return apply_group_remove(state, event);
  }
  Applied operator()(const TenantSetAsked& event) const {
    return apply_tenant_set(state, event, now);
  }
  Applied operator()(const TenantUnsetAsked& event) const {
    return apply_tenant_unset(state, event, now);
  }
  Applied operator()(const CardsReported& event) const {
    state.set_cards(event.cards);
    return {};
  }
  Applied operator()(const CalendarRead& event) const {
    state.set_calendar(event.calendar);
    return {};
  }
  Applied operator()(const SettingsRead& event) const {
    state.set_rules(event.rules, now);
    state.configure_tenants(event.tenants);
    return {};
  }
  Applied operator()(const CardSeen& event) const { return apply_seen(state, event, now); }
  Applied operator()(const CardTroubleSeen& event) const {
    return apply_trouble(state, event, now);
  }
  Applied operator()(const DrainAsked& event) const { return apply_drain(state, event, now); }
  Applied operator()(const UndrainAsked& event) const { return apply_undrain(state, event, now); }
  Applied operator()(const ReserveAsked& event) const { return apply_reserve(state, event, now); }
  Applied operator()(const UnreserveAsked& event) const { return apply_unreserve(state, event); }
  Applied operator()(const TokenMakeAsked& event) const {
    return apply_token_make(state, event, now);
  }
  Applied operator()(const TokenRevokeAsked& event) const {
    return apply_token_revoke(state, event);
  }
  Applied operator()(const TokenUsed& event) const { return apply_token_used(state, event); }
  Applied operator()(const MessagesSettled& event) const {
    return apply_messages_settled(state, event, now);
  }
  Applied operator()(const AlarmsSeen& event) const { return apply_alarms(state, event, now); }
  Applied operator()(const SilenceAsked& event) const { return apply_silence(state, event, now); }
  Applied operator()(const SilenceEndAsked& event) const { return apply_silence_end(state, event); }
  Applied operator()(const AlarmTestAsked& event) const {
    return apply_alarm_test(state, event, now);
  }
  Applied operator()(const ProcessAccounted& event) const {
    learn_peak(state, event.attempt, event.peak_vram_bytes);
    return {};
  }
  Applied operator()(const ProgressSeen& event) const { return apply_progress(state, event); }
  Applied operator()(const AttemptRunning& event) const { return apply_running(state, event, now); }
  Applied operator()(const AttemptFinished& event) const {
    judge_cards_by(state, event, now);
    return apply_finished(state, event, now);
  }
  Applied operator()(const AttemptNeverRan& event) const {
    return apply_never_ran(state, event, now);
  }
  Applied operator()(const MovedAside& event) const { return apply_moved(state, event, now); }
  Applied operator()(const BroughtBack& event) const { return apply_back(state, event, now); }
  Applied operator()(const MoveFailed& event) const { return apply_move_failed(state, event, now); }
  Applied operator()(const LeaseReleaseAsked& event) const {
    return apply_lease_release(state, event, now);
  }
  Applied operator()(const LeaseRenewAsked& event) const {
    return apply_lease_renew(state, event, now);
  }
  Applied operator()(const LeaseResetAsked& event) const {
    return apply_lease_reset(state, event, now);
  }
  Applied operator()(const LeaseHolderGone& event) const {
    return apply_holder_gone(state, event, now);
  }
  Applied operator()(const HolderActive& event) const {
    return apply_holder_active(state, event, now);
  }
  Applied operator()(const TimePassed&) const { return apply_time(state, now); }
  Applied operator()(const RetentionDue& event) const { return apply_retention(state, event, now); }
  Applied operator()(const HoldSweep& event) const { return apply_hold_sweep(state, event, now); }
  Applied operator()(const SubmissionAbandoned& event) const {
    return apply_abandoned(state, event);
  }
  Applied operator()(const DiskSeen& event) const {
    state.set_disk_full(event.full);
    return {};
  }
  Applied operator()(const DiskUseSeen& event) const {
    DiskUse use{.bytes = {}, .limit = event.limit};
    for (const auto& [user, bytes] : event.bytes)
      use.bytes[state.tenants().tenant_of(user)] += bytes;
    state.set_disk_use(std::move(use));
    return {};
  }
  Applied operator()(const Reconsider&) const { return {}; }
};

std::string cards_text(const Grant& grant) {
  if (grant.cards.empty()) return "on " + std::to_string(grant.cpus) + " CPU(s)";
  std::string text = grant.cards.size() == 1 ? "on card " : "on cards ";
  for (std::size_t i = 0; i < grant.cards.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(number_of(grant.cards[i].card));
  }
  return text;
}

}  // namespace

Applied refused(Refusal refusal) {
  return {.answer = std::move(refusal), .effects = {}, .follow_up = {}};
}

Applied refused(RefusalKind kind, std::string message) {
  return refused(Refusal{kind, std::move(message)});
}

StopReason& stopping_in(Job& job) {
  if (auto* starting = std::get_if<Starting>(&job.state)) return starting->stopping;
  return std::get<Running>(job.state).stopping;
}

Applied apply(State& state, const Event& event, Now now) {
  return std::visit(Dispatch{state, now}, event);
}

namespace {

Applied accept_start(State& state, const Start& start, Now now) {
  if (!still_valid(state, start, now)) return {};
  if (!has_been_looked_at(state, start.grant, now)) {
    Applied applied;
    applied.looks = ask_for_looks(state, start.grant, now);
    return applied;
  }
  Job job = *state.find(start.job);
  ++job.attempt;
  if (by_turns(state.rules(), job)) state.seen().turns.count(start.grant);
  if (!kind_of(job).has_shim) {
    state.note(job, "running", "granted " + cards_text(start.grant), now);
    job.state = Running{.grant = start.grant, .started_at = now.wall};
    state.put(std::move(job), now);
    return {};
  }
  Grant grant = start.grant;
  grant.mps = runs_under_mps(state, job, grant);
  state.note(job, "starting",
             "attempt " + std::to_string(job.attempt) + " starts " + cards_text(grant) +
                 (grant.mps ? ", through MPS" : ""),
             now);
  job.state = Starting{.grant = std::move(grant), .decided_at = now.wall};
  const AttemptId attempt = job.current_attempt();
  state.put(std::move(job), now);
  return {.answer = {}, .effects = {Launch{attempt}}, .follow_up = {}};
}

Applied accept_evict(State& state, const Evict& evict, Now now) {
  if (!still_valid(state, evict, now)) return {};
  Job job = *state.find(evict.job);
  const auto going = leaving_candidate(state, job, ram_for_moves(state, state.host_holds()), now);
  // Else it would return into the same pressure.
  const CardUse* use = state.seen().uses.on_card(job.current_attempt(), evict.card);
  if (use != nullptr) {
    job.vram_floor_bytes = std::max(job.vram_floor_bytes, use->peak_vram_bytes);
    for (CardGrant& held : std::get<Running>(job.state).grant.cards) {
      if (held.card == evict.card)
        held.vram_bytes = std::max(held.vram_bytes, use->peak_vram_bytes);
    }
  }
  Leaving leaving{.victim = {.job = job.id, .mechanism = going->victim.mechanism},
                  .stop = StopReason::kPressure};
  leaving.victim.bytes = vram_in_use(state, job);
  leaving.why = "card " + std::to_string(number_of(evict.card)) + " is under pressure (" +
                mib_text(evict.observed_bytes) + " in use, " + mib_text(evict.ceiling_bytes) +
                " may be shared)";
  Applied applied;
  send_aside(state, std::move(job), leaving, applied.effects, now);
  return applied;
}

Applied accept_stop(State& state, const StandStill& stop, Now now) {
  if (!still_valid(state, stop, now)) return {};
  Job job = *state.find(stop.job);
  set_aside(job, {.why = AsideWhy::kStill, .for_job = stop.leaves, .since = now.wall});
  state.note(job, "pausing",
             "it stands still while job " + to_string(stop.leaves) + " leaves card " +
                 std::to_string(number_of(stop.card)) + ", which is almost full",
             now);
  const AttemptId attempt = job.current_attempt();
  state.put(std::move(job), now);
  return {.answer = {}, .effects = {MoveAside{attempt, false}}, .follow_up = {}};
}

}  // namespace

Applied accept(State& state, const Decision& decision, Now now) {
  if (const auto* evict = std::get_if<Evict>(&decision)) return accept_evict(state, *evict, now);
  if (const auto* stop = std::get_if<StandStill>(&decision)) return accept_stop(state, *stop, now);
  if (const auto* room = std::get_if<Preempt>(&decision)) return accept_room(state, *room, now);
  if (const auto* back = std::get_if<Resume>(&decision)) return accept_return(state, *back, now);
  return accept_start(state, std::get<Start>(decision), now);
}

}  // namespace gpusched
