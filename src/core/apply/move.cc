// Jobs that are moved aside and return: what is decided, what the edge reports, and what people
// ask for by hand. All of it ends in the same few changes of a running job.
#include <algorithm>

#include "base/words.h"
#include "core/apply/learn.h"
#include "core/apply/transitions.h"
#include "core/decide/look_first.h"
#include "core/preempt/idle_holder.h"
#include "core/preempt/move_time.h"

namespace gpusched {
namespace {

const Job* moving(const StateView& state, AttemptId attempt) {
  const Job* job = state.find(attempt.job);
  const bool current = job != nullptr && job->active() && job->attempt == attempt.number;
  return current && aside_of(*job) != nullptr ? job : nullptr;
}

std::string in_seconds(Microseconds span) {
  const auto tenths = span.count() / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

// What the driver's calls took of a move; empty: there were none.
std::string calls_text(const MoveTimes& times) {
  const Microseconds calls = times.lock + times.checkpoint + times.restore + times.unlock;
  if (calls == Microseconds{0}) return {};
  const auto in_ms = [](Microseconds span) { return std::to_string(span.count() / 1000) + " ms"; };
  const bool out = times.checkpoint > Microseconds{0};
  return out ? " (lock " + in_ms(times.lock) + ", checkpoint " + in_ms(times.checkpoint) + ")"
             : " (restore " + in_ms(times.restore) + ", unlock " + in_ms(times.unlock) + ")";
}

std::string described(const Leaving& leaving) {
  std::string text = leaving.why;
  switch (leaving.victim.mechanism) {
    case Mechanism::kFreeze:
      return text + ": it is frozen and keeps its memory";
    case Mechanism::kCooperative:
      return text + ": it is asked to save its work and end";
    case Mechanism::kCheckpoint:
      return text + ": its memory moves to host RAM (" + mib_text(leaving.victim.bytes) + ")";
    case Mechanism::kRequeue:
      return text + ": it is ended and starts over";
  }
  return text;
}

// What a move teaches about its cards: each of them learns from the whole. Only bytes that the
// measured calls are known to have copied teach anything.
void learn_rates(State& state, const Job& job, MoveRate MoveRates::*direction,
                 const MeasuredMove& move) {
  for (const CardGrant& held : grant_of(job)->cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    const MoveRates* known = state.rates_of(held.card);
    MoveRates rates = known != nullptr ? *known : MoveRates{};
    rates.uuid = state.cards()[*position].uuid;
    MoveRate& rate = rates.*direction;
    const MoveRate before = rate;
    rate = learned(rate, move);
    if (rate != before) state.put(std::move(rates));
  }
}

// It is above its VRAM limit, and could not be stopped there.
StopAttempt end_unstopped(State& state, Job& job, const std::string& why, Now now) {
  stopping_in(job) = StopReason::kVramLimit;
  state.note(job, "vram_limit", "it could not be stopped and is ended: " + why, now);
  return {job.current_attempt(), job.spec->time.grace};
}

std::string return_text(const RoomRules& rules, const Aside& aside) {
  if (aside.by_hand) return "; it returns on request";
  if (aside.why == AsideWhy::kStill)
    return "; it goes on when job " + to_string(aside.for_job) + " has left its card";
  return is_asleep(rules, aside) ? "; it returns when it is used, or when nobody else waits"
                                 : "; it returns when there is room";
}

// The lease was given up while it was away: now that it is back, it ends.
void end_returned(State& state, Job job, Now now) {
  const auto& running = std::get<Running>(job.state);
  const Seconds limit = job.spec->time.limit;
  LeaseEnd end{.why = running.stopping, .message = "released"};
  if (running.stopping == StopReason::kCancel) {
    end.message = "cancelled";
  } else if (limit > Seconds{0} && running.started_at + limit <= now.wall) {
    end = {.cause = Cause::kTimeout, .message = "its time to live is over"};
  }
  end_lease(state, std::move(job), end, now);
}

FailedMove failure_of(const MoveFailed& report, Now now) { return {now.wall, report.error}; }

// A pause that was asked for is carried out.
Applied freeze_instead(State& state, Job job, const MoveFailed& report, Now now) {
  Aside aside = *aside_of(job);
  aside.mechanism = Mechanism::kFreeze;
  aside.host_bytes = 0;
  set_aside(job, aside).failed = failure_of(report, now);
  state.note(
      job, "pausing",
      "its memory could not be moved (" + report.error + "): it is frozen and keeps its memory",
      now);
  const AttemptId attempt = job.current_attempt();
  state.put(std::move(job), now);
  return {.answer = {}, .effects = {MoveAside{attempt, false}}, .follow_up = {}};
}

// A job that is on its cards again has not been moved; the next plan knows better.
Applied stayed_on_cards(State& state, Job job, const MoveFailed& report, Now now) {
  const Aside before = *aside_of(job);
  const Kind& kind = kind_of(job);
  // What holders run is not known: it is remembered of this lease alone.
  if (report.never && kind.has_shim) learn_refusal(state, job, now);
  if (before.by_hand && before.mechanism == Mechanism::kCheckpoint && kind.may_freeze) {
    return freeze_instead(state, std::move(job), report, now);
  }
  if (!before.by_hand && before.why != AsideWhy::kStill) job.moves = std::max(0, job.moves - 1);
  Presence& presence = return_to_cards(job, now.wall);
  presence.failed = failure_of(report, now);
  presence.refused = report.never && !kind.has_shim;
  Applied applied;
  if (before.over_limit_until && stopping_in(job) == StopReason::kNone) {
    applied.effects.emplace_back(end_unstopped(state, job, report.error, now));
  } else {
    state.note(job, "running", "it could not be moved and goes on: " + report.error, now);
    if (adopted_by_rule(job)) stopping_in(job) = StopReason::kLetGo;
  }
  if (before.ends) {
    end_returned(state, std::move(job), now);
    return applied;
  }
  let_go_if_asked(state, job, applied.effects);
  state.put(std::move(job), now);
  return applied;
}

Applied stayed_away(State& state, Job job, const MoveFailed& report, Now now) {
  Aside aside = *aside_of(job);
  aside.phase = AsidePhase::kPaused;
  set_aside(job, aside).failed = failure_of(report, now);
  state.note(job, "paused", "it could not return yet: " + report.error, now);
  state.put(std::move(job), now);
  return {};
}

Applied lost_on_the_way(State& state, Job job, const MoveFailed& report, Now now) {
  if (!kind_of(job).has_shim) {
    state.note(job, "lost", "its process cannot go on: " + report.error, now);
    end_lease(state, std::move(job), {.cause = Cause::kRestoreLost, .message = report.error}, now);
    return {};
  }
  set_aside(job, *aside_of(job)).failed = failure_of(report, now);
  // One that is being cancelled anyway is not lost.
  StopReason& stopping = stopping_in(job);
  if (stopping == StopReason::kNone || stopping == StopReason::kLetGo) {
    stopping = StopReason::kRestoreLost;
  }
  state.note(job, "lost", "it cannot go on: " + report.error, now);
  const AttemptId attempt = job.current_attempt();
  state.put(std::move(job), now);
  return {.answer = {}, .effects = {StopAttempt{attempt, Seconds{0}}}, .follow_up = {}};
}

// A store that lost something may believe a job on its cards that has been paused since. Bringing
// it back was tried, and failed: it is aside, and waits there for the next try.
Applied found_away(State& state, const MoveFailed& report, Now now) {
  const Job* known = state.find(report.attempt.job);
  const bool current = known != nullptr && known->attempt == report.attempt.number;
  const auto* running = current ? std::get_if<Running>(&known->state) : nullptr;
  if (running == nullptr || report.left == MoveLeft::kRunning) return {};
  Job job = *known;
  const bool cards = !running->grant.cards.empty();
  set_aside(job, {.phase = AsidePhase::kResuming,
                  .mechanism = cards ? Mechanism::kCheckpoint : Mechanism::kFreeze,
                  .since = now.wall});
  if (report.left == MoveLeft::kLost) return lost_on_the_way(state, std::move(job), report, now);
  return stayed_away(state, std::move(job), report, now);
}

}  // namespace

std::string aside_changed(State& state, Job job, const std::string& why, Now now) {
  state.note(job, state_name(job.state), why, now);
  state.put(std::move(job), now);
  return {};
}

void send_aside(State& state, Job job, const Leaving& leaving, std::vector<Effect>& effects,
                Now now) {
  const AttemptId attempt = job.current_attempt();
  const Mechanism how = leaving.victim.mechanism;
  if (!leaving.by_hand) ++job.moves;
  if (how == Mechanism::kCooperative || how == Mechanism::kRequeue) {
    Running& running = std::get<Running>(job.state);
    running.stopping = leaving.stop;
    running.leaves_for = leaving.for_job;
    if (how == Mechanism::kCooperative) {
      effects.emplace_back(AskToSave{attempt});
    } else {
      effects.emplace_back(StopAttempt{attempt, job.spec->time.grace});
    }
    state.note(job, "moving", described(leaving), now);
  } else {
    const bool pressed = leaving.stop == StopReason::kPressure;
    set_aside(job, {.mechanism = how,
                    .why = pressed               ? AsideWhy::kPressure
                           : leaving.victim.idle ? AsideWhy::kIdle
                                                 : AsideWhy::kRoom,
                    .by_hand = leaving.by_hand,
                    .for_job = leaving.for_job,
                    .since = now.wall,
                    .host_bytes = leaving.victim.bytes});
    effects.emplace_back(MoveAside{attempt, how == Mechanism::kCheckpoint, stays_awake(job)});
    state.note(job, "pausing", described(leaving), now);
  }
  state.put(std::move(job), now);
}

Applied accept_room(State& state, const Preempt& plan, Now now) {
  if (!still_valid(state, plan, now)) return {};
  Applied applied;
  if (plan.for_job == JobId{}) {
    for (const Victim& victim : plan.victims) {
      const Job& job = *state.find(victim.job);
      Leaving leaving{.victim = victim,
                      .why = "moved aside: tenant '" + job.tenant + "' holds more than its quota"};
      leaving.victim.idle = false;
      send_aside(state, job, leaving, applied.effects, now);
    }
    return applied;
  }
  std::string told = "room is made for it:";
  for (const Victim& victim : plan.victims) {
    told += (&victim == &plan.victims.front() ? " job " : ", job ") + to_string(victim.job) + " (" +
            mechanism_name(victim.mechanism) + ")";
    const Leaving leaving{.victim = victim,
                          .for_job = plan.for_job,
                          .why = "moved aside for job " + to_string(plan.for_job) +
                                 (victim.idle ? ", as it does not use its cards" : "")};
    send_aside(state, *state.find(victim.job), leaving, applied.effects, now);
  }
  state.note(*state.find(plan.for_job), "room", told, now);
  return applied;
}

Applied accept_return(State& state, const Resume& back, Now now) {
  if (!still_valid(state, back, now)) return {};
  const Grant& grant = *grant_of(*state.find(back.job));
  if (!has_been_looked_at(state, grant, now)) {
    Applied applied;
    applied.looks = ask_for_looks(state, grant, now);
    return applied;
  }
  Job job = *state.find(back.job);
  Aside& aside = change_aside(job);
  aside.phase = AsidePhase::kResuming;
  const AttemptId attempt = job.current_attempt();
  const bool checkpoint = aside.mechanism == Mechanism::kCheckpoint;
  const char* told =
      stands_still(job) ? "nobody leaves its card any more" : "there is room on its cards again";
  const bool awake = stays_awake(job);
  state.note(job, "resuming", told, now);
  state.put(std::move(job), now);
  return {.answer = {}, .effects = {BringBack{attempt, checkpoint, awake}}, .follow_up = {}};
}

Applied apply_moved(State& state, const MovedAside& report, Now now) {
  const Job* found = moving(state, report.attempt);
  if (found == nullptr || aside_phase(*found) != AsidePhase::kPausing) return {};
  Job job = *found;
  learn_rates(state, job, &MoveRates::out,
              {report.copied, report.times.checkpoint, report.times.whole});
  // It has not failed, or its memory could not be moved and it was frozen instead.
  Aside aside = *aside_of(job);
  aside.phase = AsidePhase::kPaused;
  aside.host_bytes = report.bytes;
  std::string told =
      "it is aside after " + in_seconds(now.wall - aside.since) + calls_text(report.times);
  told += aside.over_limit_until ? "; it goes on when its limit is raised"
                                 : return_text(state.rules().room, aside);
  if (aside.mechanism == Mechanism::kCheckpoint) state.seen().left[report.attempt] = now.boot;
  set_aside(job, aside);
  state.note(job, "paused", told, now);
  state.put(std::move(job), now);
  return {};
}

Applied apply_back(State& state, const BroughtBack& report, Now now) {
  const Job* found = moving(state, report.attempt);
  if (found == nullptr || aside_phase(*found) != AsidePhase::kResuming) return {};
  Job job = *found;
  const Aside before = *aside_of(job);
  learn_rates(state, job, &MoveRates::back,
              {report.copied, report.times.restore, report.times.whole});
  return_to_cards(job, now.wall);
  const Microseconds away = std::max(Microseconds{0}, now.wall - before.since);
  state.note(
      job, "running",
      "it goes on where it was, after " + in_seconds(away) + " aside" + calls_text(report.times),
      now);
  if (before.ends) {
    end_returned(state, std::move(job), now);
    return {};
  }
  Applied applied;
  // Adopted to make room, which is no longer needed.
  if (adopted_by_rule(job)) stopping_in(job) = StopReason::kLetGo;
  let_go_if_asked(state, job, applied.effects);
  state.put(std::move(job), now);
  return applied;
}

Applied apply_move_failed(State& state, const MoveFailed& report, Now now) {
  const Job* found = moving(state, report.attempt);
  if (found == nullptr) return found_away(state, report, now);
  if (aside_phase(*found) == AsidePhase::kPaused) return {};
  switch (report.left) {
    case MoveLeft::kRunning:
      return stayed_on_cards(state, *found, report, now);
    case MoveLeft::kAside:
      return stayed_away(state, *found, report, now);
    case MoveLeft::kLost:
      return lost_on_the_way(state, *found, report, now);
  }
  return {};
}

Applied apply_holder_active(State& state, const HolderActive& active, Now now) {
  const Job* found = moving(state, active.attempt);
  if (found == nullptr) return {};
  const Aside& aside = *aside_of(*found);
  if (aside.phase == AsidePhase::kResuming || aside.by_hand) return {};
  if (!is_asleep(state.rules().room, aside)) return {};
  Job job = *found;
  change_aside(job).wanted = true;
  aside_changed(state, std::move(job),
                "its process became active again: a call of it waits for the card; it returns when "
                "there is room",
                now);
  return {};
}

bool ends_when_back(State& state, const Job& found, StopReason why, const std::string& what,
                    Now now) {
  if (!is_aside(found)) return false;
  if (aside_of(found)->ends && stopping_of(found) == why) return true;
  Job job = found;
  Aside& aside = change_aside(job);
  aside.ends = true;
  aside.by_hand = false;
  aside.wanted = true;
  if (why != StopReason::kNone) stopping_in(job) = why;
  // Without its cards its process could not go on, and nobody would bring it back.
  aside_changed(state, std::move(job), what + "; it ends when it is back", now);
  return true;
}

}  // namespace gpusched
