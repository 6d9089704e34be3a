// What happens to cards, and what people do to them: drained, back in service, in trouble.
#include <algorithm>

#include "core/health.h"
#include "core/settle.h"
#include "core/transitions.h"

namespace gpusched {
namespace {

std::string name_of(const Card& card) { return "card " + std::to_string(number_of(card.number)); }

bool is_on(const Job& job, const Card& card) {
  const Grant& grant = *grant_of(job);
  return std::ranges::find(grant.cards, card.number, &CardGrant::card) != grant.cards.end();
}

std::optional<Refusal> refuse_cards(const State& state, const Actor& actor,
                                    const std::vector<CardNumber>& cards, const char* verb) {
  if (!actor.administrator) {
    return Refusal{RefusalKind::kForbidden,
                   std::string("only an administrator may ") + verb + " a card"};
  }
  if (cards.empty()) return Refusal{RefusalKind::kInvalid, "no card is named"};
  for (const CardNumber card : cards) {
    if (state.index_of(card)) continue;
    return Refusal{RefusalKind::kNotFound, "there is no card " + std::to_string(number_of(card))};
  }
  return std::nullopt;
}

// The card is lost, and with it whatever ran there.
void stop_jobs_on(State& state, const Card& card, const std::string& what, Now now,
                  Applied& applied) {
  const std::set<JobId> active = state.active();
  for (const JobId id : active) {
    Job job = *state.find(id);
    if (!is_on(job, card) || stopping_in(job) != StopReason::kNone) continue;
    stopping_in(job) = StopReason::kGpuLost;
    state.note(job, "gpu_lost", name_of(card) + ": " + what + "; the attempt is ended", now);
    applied.effects.emplace_back(StopAttempt{job.current_attempt(), Seconds{0}});
    state.put(std::move(job), now);
  }
}

}  // namespace

Applied apply_drain(State& state, const DrainAsked& asked, Now now) {
  if (auto refusal = refuse_cards(state, asked.actor, asked.cards, "drain")) {
    return {.answer = std::move(*refusal), .effects = {}, .follow_up = {}};
  }
  for (const CardNumber card : asked.cards) {
    const std::string& uuid = state.cards()[*state.index_of(card)].uuid;
    state.put(Drain{uuid, now.wall, "operator", asked.reason, false});
  }
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

Applied apply_undrain(State& state, const UndrainAsked& asked, Now) {
  if (auto refusal = refuse_cards(state, asked.actor, asked.cards, "undrain")) {
    return {.answer = std::move(*refusal), .effects = {}, .follow_up = {}};
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
  if (verdict.consequence == Consequence::kDrain && !card.drained) {
    const std::string advice = verdict.advice.empty() ? "" : ": " + verdict.advice;
    state.put(Drain{card.uuid, now.wall, "health", verdict.what + advice, verdict.until_seen});
  }
  if (verdict.jobs_lost) {
    stop_jobs_on(state, card, verdict.what, now, applied);
    return applied;
  }
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (is_on(job, card)) state.note(job, "card", name_of(card) + ": " + verdict.what, now);
  }
  return applied;
}

Applied apply_seen(State& state, const CardSeen& seen, Now now) {
  const auto position = state.index_of(seen.card);
  if (!position) return {};
  const CardCondition before = state.view_of(*position).condition;
  state.observe(seen.card, seen.view);
  if (seen.view.condition == CardCondition::kOk) settle_jobs_on(state, seen.card, now);
  if (seen.view.condition == CardCondition::kGone && before != CardCondition::kGone) {
    return apply_trouble(state, {seen.card, TroubleKind::kGone, 0}, now);
  }
  const std::string uuid = state.cards()[*position].uuid;
  const auto drain = state.drains().find(uuid);
  const bool back = seen.view.condition == CardCondition::kOk && drain != state.drains().end() &&
                    drain->second.until_seen && seen.view.at.wall > drain->second.since;
  if (back) state.remove_drain(uuid);
  return {};
}

}  // namespace gpusched
