#include "api/timeline_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "api/alarms_answer.h"
#include "api/answers.h"
#include "base/text.h"
#include "core/model/placeholders.h"
#include "core/state/past_spans.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

constexpr Seconds kBackUsual{24 * 3600};
constexpr Seconds kAheadUsual{6 * 3600};
constexpr Seconds kLongest{366LL * 24 * 3600};

std::optional<CardNumber> card_of(const StateView& state, const std::string& uuid) {
  const auto card = std::ranges::find(state.cards(), uuid, &Card::uuid);
  return card == state.cards().end() ? std::nullopt : std::optional(card->number);
}

bool overlaps(const TimelineAsked& asked, Wall from, std::optional<Wall> until) {
  return from <= asked.until && (!until || *until >= asked.from);
}

bool wants(const TimelineAsked& asked, std::optional<CardNumber> card) {
  return !asked.card || card == asked.card;
}

wire::TimelineSpan row_of(PastSpan&& span, bool goes_on, const NameRights& names) {
  wire::TimelineSpan row{.card = span.card ? static_cast<int>(number_of(*span.card)) : 0};
  row.job = number_of(span.attempt.job);
  row.attempt = span.attempt.number;
  row.kind = past_kind_name(span.kind);
  row.from = span.from;
  if (!goes_on) row.until = span.until;
  row.name = names.name_in(span);
  row.state = std::move(span.state);
  row.cause = std::move(span.cause);
  row.user = std::move(span.owner.user);
  row.vram_bytes = span.vram_bytes;
  row.whole = span.whole;
  if (span.for_job != JobId{}) row.for_job = number_of(span.for_job);
  row.mechanism = std::move(span.mechanism);
  return row;
}

void add_plan(const Context& context, const TimelineAsked& asked, const Veil& veil,
              wire::Timeline& answer) {
  const StateView& state = context.state();
  const Wall now = context.now().wall;
  const NameRights names{veil.actor(), context.limits.arguments_for_all};
  std::set<JobId> seen;
  for (const PlannedSpan& planned : context.estimates.plan()) {
    const Job* job = state.find(planned.job);
    const bool first = seen.insert(planned.job).second;
    if (job == nullptr || !veil.sees(*job)) continue;
    // The plan may be of a time before it started or returned.
    const bool still = std::holds_alternative<Queued>(job->state) || is_aside(*job);
    if (!still || job->ended()) continue;
    wire::PlannedSpan row{.job = number_of(planned.job), .kind = planned.back ? "return" : "start"};
    row.from = std::max(planned.from, now);
    if (planned.until) row.until = std::max(*planned.until, *row.from);
    const StartEstimate* estimate = first ? context.estimates.of(*job) : nullptr;
    if (estimate != nullptr && estimate->latest) row.latest = std::max(*estimate->latest, now);
    if (!overlaps(asked, *row.from, row.until)) continue;
    row.name = names.name_of(*job);
    row.user = job->owner.user;
    for (const CardGrant& held : planned.cards) {
      if (!wants(asked, held.card)) continue;
      row.card = number_of(held.card);
      row.whole = held.whole;
      row.vram_bytes.reset();
      if (held.vram_bytes < kUnknownHold) row.vram_bytes = held.vram_bytes;
      answer.planned.push_back(row);
    }
  }
  if (!answer.planned.empty()) answer.planned_at = context.estimates.looked_at();
}

void add_ends(const Context& context, const Veil& veil, wire::Timeline& answer) {
  const StateView& state = context.state();
  const Now now = context.now();
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (!veil.sees(job) || !std::holds_alternative<Running>(job.state)) continue;
    wire::ExpectedEnd row{.job = number_of(id)};
    const Wall expected = end_of(state, job, now, Trust::kEstimates);
    const Wall latest = end_of(state, job, now, Trust::kLimits);
    if (expected != kNobodyKnows) row.expected_end = expected;
    if (latest != kNobodyKnows) row.latest_end = latest;
    answer.ends.push_back(row);
  }
}

void add_reservations(const Context& context, const TimelineAsked& asked, const Veil& veil,
                      wire::Timeline& answer) {
  const StateView& state = context.state();
  const auto add = [&](const Reservation& reservation) {
    if (!overlaps(asked, reservation.from, reservation.until)) return;
    wire::TimelineReservation row{.id = reservation.id};
    bool wanted = false;
    for (const Card& card : state.cards()) {
      if (std::ranges::find(reservation.cards, card.uuid) == reservation.cards.end()) continue;
      row.cards.push_back(number_of(card.number));
      wanted = wanted || wants(asked, card.number);
    }
    if (!wanted) return;
    // When and where is for everybody; whose is not.
    if (reservation.maintenance() || veil.sees_user(reservation.user) ||
        veil.sees_tenant(reservation.tenant) || veil.sees_user(reservation.by)) {
      row.name = reservation.name;
      row.user = reservation.user.empty() ? reservation.tenant : reservation.user;
    }
    row.from = reservation.from;
    row.until = reservation.until;
    answer.reservations.push_back(std::move(row));
  };
  for (const auto& [id, reservation] : state.reservations()) add(reservation);
  for (const Reservation& reservation : state.calendar()) add(reservation);
  std::ranges::stable_sort(answer.reservations, {}, &wire::TimelineReservation::from);
}

}  // namespace

std::string NameRights::name_in(const PastSpan& span) const {
  const bool all = span.shown_name.empty() ||
                   may(actor, Action::kSeeArguments, owned_by(span.owner), arguments_for_all);
  return all ? span.name : span.shown_name;
}

std::string NameRights::name_of(const Job& job) const {
  const bool all = may(actor, Action::kSeeArguments, owned_by(job.owner), arguments_for_all);
  return gpusched::name_of(job, all ? Values::kShown : Values::kHidden);
}

Result<Wall> parse_moment(const char* name, const std::string& text, Wall now) {
  // In a query a plus that is not escaped reads as a space.
  const bool ahead = text.starts_with('+') || text.starts_with(' ');
  const auto span = parse_duration(ahead ? std::string_view(text).substr(1) : text);
  if (span) {
    if (*span <= kLongest) return ahead ? now + *span : now - *span;
    return failure(ErrorCode::kInvalid, fmt::format("{} must be within 366 days of now", name));
  }
  const auto moment = parse_rfc3339(text);
  if (moment && *moment >= now - kLongest && *moment <= now + kLongest) return *moment;
  if (moment) {
    return failure(ErrorCode::kInvalid, fmt::format("{} must be within 366 days of now", name));
  }
  return failure(
      ErrorCode::kInvalid,
      fmt::format("{}: '{}' is neither a duration such as 7d, or +6h for the time ahead, "
                  "nor a time such as {}",
                  name, text.substr(0, 80), format_time(now)));
}

Result<TimelineAsked> parse_timeline(const std::map<std::string, std::string>& query, Wall now) {
  TimelineAsked asked{.from = now - kBackUsual, .until = now + kAheadUsual};
  for (const auto& [name, where] :
       {std::pair("from", &asked.from), std::pair("until", &asked.until)}) {
    const auto it = query.find(name);
    if (it == query.end()) continue;
    const Result<Wall> moment = parse_moment(name, it->second, now);
    if (!moment) return failure(moment.error());
    *where = *moment;
  }
  if (asked.from >= asked.until) {
    return failure(ErrorCode::kInvalid, "from must be before until");
  }
  const auto card = query_number(query, "card", UINT16_MAX);
  if (!card) return failure(card.error());
  if (*card) asked.card = static_cast<CardNumber>(**card);
  return asked;
}

PastPart past_part_of(const TimelineAsked& asked, const Veil& veil, const Principal& actor) {
  PastPart part{.from = asked.from, .until = asked.until, .card = asked.card, .most = kSpansMost};
  if (veil.covers()) part.uid = actor.account();
  return part;
}

wire::Timeline timeline_now(const Context& context, const TimelineAsked& asked, const Veil& veil) {
  const StateView& state = context.state();
  wire::Timeline answer{.from = asked.from, .until = asked.until, .now = context.now().wall};
  add_plan(context, asked, veil, answer);
  add_ends(context, veil, answer);
  add_reservations(context, asked, veil, answer);
  for (const auto& [uuid, drain] : state.drains()) {
    const auto card = card_of(state, uuid);
    if (!card || !wants(asked, card) || !overlaps(asked, drain.since, std::nullopt)) continue;
    answer.drains.push_back({.card = static_cast<int>(number_of(*card)),
                             .from = drain.since,
                             .reason = veil.over(drain.reason)});
  }
  for (wire::Alarm& alarm : alarms_for(context, veil)) {
    if (asked.card && alarm.card != number_of(*asked.card)) continue;
    if (!overlaps(asked, *alarm.since, std::nullopt)) continue;
    answer.alarms.push_back({.rule = std::move(alarm.rule),
                             .subject = std::move(alarm.subject),
                             .severity = std::move(alarm.severity),
                             .what = std::move(alarm.what),
                             .card = alarm.card,
                             .from = alarm.since});
  }
  return answer;
}

std::vector<PastSpan> spans_now(const Context& context, const TimelineAsked& asked,
                                const Veil& veil) {
  const StateView& state = context.state();
  std::vector<PastSpan> spans;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (!veil.sees(job)) continue;
    for (PastSpan& span : spans_under_way(job, state.cards(), context.now().wall)) {
      if (!span.card || !wants(asked, span.card)) continue;
      if (!overlaps(asked, span.from, std::nullopt)) continue;
      if (!veil.sees(span.for_job)) span.for_job = {};
      spans.push_back(std::move(span));
    }
  }
  return spans;
}

void take_others(Past& past, const TimelineAsked& asked, const Context& context, const Veil& veil,
                 wire::Timeline& answer) {
  for (PastSpan& span : past.spans) {
    if (is_of_job(span.kind)) {
      if (!veil.sees(span.for_job)) span.for_job = {};
      continue;
    }
    if (!wants(asked, span.card)) continue;
    if (span.kind == PastKind::kDrain) {
      // A number may have gone to another card since.
      const auto card = card_of(context.state(), span.name);
      if (!card || !wants(asked, card)) continue;
      answer.drains.push_back({.card = static_cast<int>(number_of(*card)),
                               .from = span.from,
                               .until = span.until,
                               .reason = veil.over(std::move(span.what))});
      continue;
    }
    if (hides_alarm(veil, span.owner.user, span.tenant)) continue;
    wire::TimelineAlarm row{.rule = std::move(span.name),
                            .subject = veil.over(std::move(span.subject)),
                            .severity = std::string(severity_word(span.severity)),
                            .what = veil.over(std::move(span.what)),
                            .from = span.from,
                            .until = span.until};
    if (span.card) row.card = number_of(*span.card);
    answer.alarms.push_back(std::move(row));
  }
  std::erase_if(past.spans, [](const PastSpan& span) { return !is_of_job(span.kind); });
  const auto began = [](const auto& row) { return row.from; };
  std::ranges::stable_sort(answer.drains, {}, began);
  std::ranges::stable_sort(answer.alarms, {}, began);
}

void fill_in_spans(std::vector<PastSpan> under_way, std::vector<PastSpan> over,
                   const NameRights& names, wire::Timeline& answer) {
  const auto key = [](const PastSpan& span) {
    return std::tuple(span.attempt.job, span.attempt.number, span.kind, span.card, span.from);
  };
  // What ended between the two looks is in both.
  std::set<decltype(key(over.front()))> ended;
  for (const PastSpan& span : over) ended.insert(key(span));
  std::erase_if(under_way, [&](const PastSpan& span) { return ended.contains(key(span)); });
  const std::size_t room = kSpansMost - std::min(kSpansMost, under_way.size());
  if (under_way.size() > kSpansMost) {
    std::ranges::stable_sort(under_way, std::greater<>{}, &PastSpan::from);
    answer.left_out += under_way.size() - kSpansMost;
    under_way.resize(kSpansMost);
  }
  if (over.size() > room) {  // They come newest first.
    answer.left_out += over.size() - room;
    over.resize(room);
  }
  for (PastSpan& span : over) answer.spans.push_back(row_of(std::move(span), false, names));
  for (PastSpan& span : under_way) answer.spans.push_back(row_of(std::move(span), true, names));
  std::ranges::stable_sort(answer.spans, {}, [](const wire::TimelineSpan& span) {
    return std::tuple(span.from, span.job, span.card);
  });
}

}  // namespace gpusched
