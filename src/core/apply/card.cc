// What happens to cards, and what people do to them: drained, back in service, in trouble.
#include <algorithm>
#include <iterator>

#include "core/apply/seen_use.h"
#include "core/apply/transitions.h"
#include "core/model/health.h"

namespace gpusched {
namespace {

std::string name_of(const Card& card) { return "card " + std::to_string(number_of(card.number)); }

std::optional<Refusal> refuse_cards(const StateView& state, const Principal& actor, Action action,
                                    const std::vector<CardNumber>& cards) {
  if (!may(actor, action)) return only_others_may(action);
  if (cards.empty()) return Refusal{RefusalKind::kInvalid, "no card is named"};
  for (const CardNumber card : cards) {
    if (state.index_of(card)) continue;
    return Refusal{RefusalKind::kNotFound, "there is no card " + std::to_string(number_of(card))};
  }
  return std::nullopt;
}

void drain_for(State& state, const Card& card, const Verdict& verdict, Now now) {
  if (verdict.consequence != Consequence::kDrain || card.drained) return;
  const std::string advice = verdict.advice.empty() ? "" : "; " + verdict.advice;
  state.put(Drain{card.uuid, now.wall, "health", verdict.what + advice, verdict.ends});
}

// A program, whatever its arguments are.
std::string program_and_script(const Job& job) {
  const std::vector<std::string>& argv = job.spec->argv;
  std::string program;
  // An interpreter's first argument is what it runs.
  for (std::size_t i = 0; i < std::min<std::size_t>(argv.size(), 2); ++i) program += ' ' + argv[i];
  return program;
}

// A failure that may have been the card's doing.
bool may_be_the_cards(const AttemptFinished& report, StopReason stopping) {
  const bool failed = (report.cause == Cause::kExit && report.exit_code.value_or(0) != 0) ||
                      report.cause == Cause::kSignal;
  return failed && stopping == StopReason::kNone;
}

// The card is lost, and with it whatever ran there.
void stop_jobs_on(State& state, const Card& card, const std::string& what, Now now,
                  Applied& applied) {
  const std::set<JobId> active = state.active();
  for (const JobId id : active) {
    Job job = *state.find(id);
    if (given_on(job, card.number) == nullptr || stopping_in(job) != StopReason::kNone) continue;
    if (!kind_of(job).has_shim) {
      end_lease(state, std::move(job), {.cause = Cause::kGpuLost, .why = StopReason::kGpuLost},
                now);
      continue;
    }
    stopping_in(job) = StopReason::kGpuLost;
    state.note(job, "gpu_lost", name_of(card) + ": " + what + "; the attempt is ended", now);
    applied.effects.emplace_back(StopAttempt{job.current_attempt(), Seconds{0}});
    state.put(std::move(job), now);
  }
}

}  // namespace

Applied apply_drain(State& state, const DrainAsked& asked, Now now) {
  if (auto refusal = refuse_cards(state, asked.actor, Action::kDrain, asked.cards)) {
    return refused(std::move(*refusal));
  }
  for (const CardNumber card : asked.cards) {
    const std::string& uuid = state.cards()[*state.index_of(card)].uuid;
    state.put(Drain{uuid, now.wall, "operator", asked.reason, DrainEnd::kByHand});
  }
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

Applied apply_undrain(State& state, const UndrainAsked& asked, Now) {
  if (auto refusal = refuse_cards(state, asked.actor, Action::kUndrain, asked.cards)) {
    return refused(std::move(*refusal));
  }
  for (const CardNumber card : asked.cards) {
    const Card& found = state.cards()[*state.index_of(card)];
    if (!found.drained) return refused(RefusalKind::kConflict, name_of(found) + " is not drained");
  }
  for (const CardNumber card : asked.cards) {
    state.remove_drain(state.cards()[*state.index_of(card)].uuid);
  }
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

Applied apply_trouble(State& state, const CardTroubleSeen& seen, Now now) {
  const auto position = state.index_of(seen.card);
  if (!position) return {};
  const Card card = state.cards()[*position];
  const Verdict verdict = judge(seen.kind, seen.number);
  Applied applied;
  drain_for(state, card, verdict, now);
  if (verdict.jobs_lost) {
    stop_jobs_on(state, card, verdict.what, now, applied);
    return applied;
  }
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (given_on(job, card.number) != nullptr)
      state.note(job, "card", name_of(card) + ": " + verdict.what, now);
  }
  return applied;
}

void judge_cards_by(State& state, const AttemptFinished& report, Now now) {
  const Job* job = state.find(report.attempt.job);
  if (job == nullptr || !job->active() || job->current_attempt() != report.attempt) return;
  std::set<CardNumber> cards;
  for (const CardGrant& held : grant_of(*job)->cards) cards.insert(held.card);
  if (report.cause == Cause::kExit && report.exit_code == 0) {
    return state.seen().records.went_well(cards);
  }
  if (!may_be_the_cards(report, stopping_of(*job))) return;
  const bool several = state.tenants().entries().size() > 1;
  for (const CardNumber number : cards) {
    const auto position = state.index_of(number);
    if (!position) continue;
    const Card card = state.cards()[*position];
    const int most = limits_with(state.rules().health, card.health).failures;
    if (!state.seen().records.failed(number, job->tenant, program_and_script(*job), most,
                                     several)) {
      continue;
    }
    drain_for(state, card,
              {Consequence::kDrain, false, DrainEnd::kByHand,
               "jobs of " + std::to_string(most) +
                   " programs failed here in a row, while others went well elsewhere",
               "look at their logs"},
              now);
    // Its record begins anew when it is back in service.
    state.seen().records.of(number) = {};
  }
}

Applied apply_seen(State& state, const CardSeen& seen, Now now) {
  const auto position = state.index_of(seen.card);
  if (!position) return {};
  const CardView last = state.view_of(*position);
  const CardCondition before = last.condition;
  const CardVitals vitals_before = last.vitals;
  Applied applied;
  // First: what an attempt took at most so far is without this look.
  enforce_vram_limits(state, seen.card, last, seen.view, now, applied);
  state.seen().looks.arrived(seen.card, seen.view.at.boot, now.boot);
  state.observe(seen.card, seen.view);
  release_adopted_on(state, seen.card, applied.effects);
  if (seen.view.condition == CardCondition::kOk) take_seen_use(state, seen.card, now);
  if (seen.view.condition == CardCondition::kGone && before != CardCondition::kGone) {
    Applied lost = apply_trouble(state, {seen.card, TroubleKind::kGone, 0}, now);
    std::ranges::move(lost.effects, std::back_inserter(applied.effects));
    return applied;
  }
  if (seen.view.condition != CardCondition::kOk) return applied;
  const Card card = state.cards()[*position];
  const HealthLimits limits = limits_with(state.rules().health, card.health);
  const auto verdict = judge_vitals(limits, vitals_before, seen.view.vitals,
                                    state.seen().records.of(seen.card), now);
  if (verdict) drain_for(state, card, *verdict, now);
  const auto heat = seen.view.vitals.temperature_celsius;
  constexpr int kCloseBy = 5;
  state.adapt_cap(
      *position,
      {.throttled = seen.view.vitals.throttled,
       .hot = heat && limits.hottest_celsius > 0 && *heat >= limits.hottest_celsius - kCloseBy},
      now);
  const auto drain = state.drains().find(card.uuid);
  if (drain == state.drains().end() || seen.view.at.wall <= drain->second.since) {
    return applied;
  }
  const bool back =
      drain->second.ends == DrainEnd::kSeen ||
      (drain->second.ends == DrainEnd::kCooler && has_cooled(limits, seen.view.vitals));
  if (back) state.remove_drain(card.uuid);
  return applied;
}

}  // namespace gpusched
