#include "core/state/past_spans.h"

#include <algorithm>

#include "core/model/kind.h"
#include "core/model/placeholders.h"

namespace gpusched {
namespace {

PastKind kind_on_cards(const Job& job) {
  const Kind& kind = kind_of(job);
  if (kind.has_holder) return PastKind::kLease;
  return kind.taken_over() ? PastKind::kAdopted : PastKind::kRun;
}

Wall stretch_began(const Job& job) {
  if (const auto* starting = std::get_if<Starting>(&job.state)) return starting->decided_at;
  const auto& running = std::get<Running>(job.state);
  if (const Aside* aside = aside_of(running)) return aside->since;
  const OnCards* back = running.presence ? running.presence->back() : nullptr;
  return back != nullptr ? std::max(back->since, running.started_at) : running.started_at;
}

// All but where and when it ended.
PastSpan stretch_of(const Job& job) {
  PastSpan span{.kind = is_aside(job) ? PastKind::kAside : kind_on_cards(job),
                .from = stretch_began(job),
                .attempt = job.current_attempt(),
                .owner = job.owner,
                .tenant = job.tenant,
                .submitted_at = job.submitted_at,
                .priority = job.priority};
  span.name = name_of(job);
  span.shown_name = name_of(job, Values::kHidden);
  if (span.shown_name == span.name) span.shown_name.clear();
  if (const Aside* aside = aside_of(job)) {
    span.for_job = aside->for_job;
    span.mechanism = mechanism_name(aside->mechanism);
  }
  return span;
}

std::vector<PastSpan> on_each_card(const PastSpan& span, const Grant& grant,
                                   const std::vector<Card>& cards) {
  std::vector<PastSpan> spans;
  for (const CardGrant& held : grant.cards) {
    PastSpan& one = spans.emplace_back(span);
    one.card = held.card;
    one.whole = held.whole;
    if (held.vram_bytes < kUnknownHold) one.vram_bytes = held.vram_bytes;
    const auto card = std::ranges::find(cards, held.card, &Card::number);
    if (held.whole && card != cards.end()) one.vram_bytes = card->vram_bytes;
  }
  if (spans.empty()) spans.push_back(span);
  return spans;
}

// Why an attempt ended that is followed by another one.
void note_way_out(const Job& before, const Job& after, PastSpan& span) {
  const auto* running = std::get_if<Running>(&before.state);
  if (running == nullptr || running->leaves_for == JobId{}) return;
  const bool saved = after.saved_attempt == before.attempt;
  span.for_job = running->leaves_for;
  span.mechanism = mechanism_name(saved ? Mechanism::kCooperative : Mechanism::kRequeue);
}

}  // namespace

std::vector<PastSpan> spans_under_way(const Job& job, const std::vector<Card>& cards, Wall now) {
  if (!job.active()) return {};
  PastSpan span = stretch_of(job);
  span.until = std::max(span.from, now);
  span.state = is_aside(job) ? "paused" : state_name(job.state);
  return on_each_card(span, *grant_of(job), cards);
}

std::vector<PastSpan> spans_over(const Job& before, const Job& after, const StretchEnd& end,
                                 const std::vector<Card>& cards) {
  if (!before.active()) return {};
  const bool goes_on = after.active() && after.attempt == before.attempt;
  if (goes_on && is_aside(before) == is_aside(after)) return {};
  PastSpan span = stretch_of(before);
  if (goes_on) {
    // Where one ends the other begins.
    span.until = stretch_began(after);
    span.state = is_aside(after) ? "paused" : "running";
    if (const Aside* aside = aside_of(after)) {
      span.for_job = aside->for_job;
      span.mechanism = mechanism_name(aside->mechanism);
    }
  } else if (const auto* ended = std::get_if<Ended>(&after.state)) {
    span.until = ended->ended_at;
    span.state = state_name(after.state);
    const bool failed = ended->outcome == Outcome::kFailed && ended->cause;
    if (failed) span.cause = cause_name(*ended->cause);
    if (const bool unseen = std::holds_alternative<Starting>(before.state);
        unseen && ended->started_at) {
      span.from = *ended->started_at;
    }
  } else {
    span.until = end.at;
    span.state = end.failed ? "failed" : "requeued";
    if (end.failed) span.cause = cause_name(*end.failed);
    if (std::holds_alternative<Starting>(before.state) && end.began) span.from = *end.began;
    note_way_out(before, after, span);
  }
  span.until = std::max(span.from, span.until);
  return on_each_card(span, *grant_of(before), cards);
}

}  // namespace gpusched
