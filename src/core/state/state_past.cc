// What is over (core/model/past_span.h): gathered in the same turn as the changes that end it, so
// that one commit has both or neither.
#include <algorithm>
#include <utility>

#include "core/state/past_spans.h"
#include "core/state/state.h"

namespace gpusched {
namespace {

PastSpan over(const Drain& drain, const std::vector<Card>& cards, Wall until) {
  PastSpan span{.kind = PastKind::kDrain, .from = drain.since};
  const auto card = std::ranges::find(cards, drain.uuid, &Card::uuid);
  if (card != cards.end()) span.card = card->number;
  span.until = std::max(drain.since, until);
  span.name = drain.uuid;
  span.what = drain.reason;
  span.state = drain.by;
  return span;
}

PastSpan over(const Alarm& alarm, Wall until) {
  PastSpan span{.kind = PastKind::kAlarm, .card = alarm.card, .from = alarm.since};
  span.until = std::max(alarm.since, until);
  span.name = alarm.key.rule;
  span.subject = alarm.key.subject;
  span.what = alarm.what;
  span.severity = alarm.severity;
  span.owner.user = alarm.user;
  span.tenant = alarm.tenant;
  return span;
}

}  // namespace

void State::note_past(const Job* before, const Job& job, Now now) {
  // What never happens, as in a look ahead, is not remembered.
  if (before == nullptr || !before->active() || rules_.past_keep_for <= Seconds{0}) return;
  StretchEnd end{.at = now.wall};
  if (said_end_ && said_end_->attempt == before->current_attempt()) {
    end = {said_end_->at, said_end_->began, said_end_->failed};
  }
  std::ranges::move(spans_over(*before, job, end, cards_), std::back_inserter(past_));
}

std::vector<PastSpan> State::past(Now now) const {
  std::vector<PastSpan> spans = past_;
  if (rules_.past_keep_for <= Seconds{0}) return spans;
  for (const auto& [uuid, before] : tables_.drains.journal.before()) {
    const Drain* drain = tables_.drains.find(uuid);
    if (!before || (drain != nullptr && drain->since == before->since)) continue;
    spans.push_back(over(*before, cards_, drain != nullptr ? drain->since : now.wall));
  }
  for (const auto& [key, before] : tables_.alarms.journal.before()) {
    const Alarm* alarm = tables_.alarms.find(key);
    if (!before || (alarm != nullptr && alarm->since == before->since)) continue;
    spans.push_back(over(*before, alarm != nullptr ? alarm->since : now.wall));
  }
  return spans;
}

}  // namespace gpusched
