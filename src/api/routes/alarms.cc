// GET /v1/alarms, POST /v1/silences, DELETE /v1/silences/{id}, POST /v1/alarms/test
#include <algorithm>
#include <utility>

#include "api/alarms_answer.h"
#include "api/answers.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "base/number.h"
#include "core/alarm/subject.h"
#include "wire/labels.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

std::string unit_name(AlarmUnit unit) {
  switch (unit) {
    case AlarmUnit::kNone:
      return "";
    case AlarmUnit::kCelsius:
      return "celsius";
    case AlarmUnit::kBytes:
      return "bytes";
    case AlarmUnit::kPercent:
      return "percent";
    case AlarmUnit::kCount:
      return "count";
    case AlarmUnit::kSeconds:
      return "seconds";
  }
  return "";
}

const AlarmRules& rules_in_force(const Context& context) {
  static const AlarmRules kUsual;
  return context.ports.alarm_rules ? context.ports.alarm_rules() : kUsual;
}

wire::AlarmRule rule_row(const AlarmRules& rules, const AlarmRule& rule) {
  const AlarmKindRow& kind = alarm_kind_row(rule.kind);
  wire::AlarmRule row{.name = rule.name,
                      .kind = std::string(kind.name),
                      .watches = alarm_watches(rule),
                      .enabled = rule.enabled,
                      .severity = std::string(severity_name(rule.severity)),
                      .threshold = threshold_of(rule),
                      .unit = unit_name(kind.unit),
                      .below = kind.below,
                      .hold = rule.hold,
                      .clear_for = rule.clear_for,
                      .repeat = rule.repeat,
                      .receivers = rules.receivers_of(rule),
                      .inhibited_by = rule.inhibited_by};
  if (row.threshold) row.clear = clear_of(rule, *row.threshold);
  if (rule.kind == AlarmKind::kWeeklyReport) row.weekly = weekly_text(rule.weekly);
  return row;
}

wire::Silence silence_row(const Silence& silence, const Veil& veil) {
  return {.id = silence.id,
          .rule = silence.rule,
          .subject = veil.over(silence.subject),
          .from = silence.from,
          .until = silence.until,
          .by = veil.over(silence.by),
          .reason = veil.over(silence.reason)};
}

Result<Silence> parse_silence(const Context& context, const Call& call) {
  auto read = wire::read_request<wire::SilenceRequest>(call.request.body);
  if (!read) return failure(read.error());
  for (const auto& [field, text] :
       {std::pair("rule", &read->rule), std::pair("subject", &read->subject),
        std::pair("reason", &read->reason)}) {
    if (auto fault = fault_of_label(field, *text)) return failure(ErrorCode::kInvalid, *fault);
  }
  if (!read->rule.empty() && rules_in_force(context).find(read->rule) == nullptr) {
    return failure(ErrorCode::kNotFound,
                   "there is no rule '" + read->rule + "'; gpusched alerts rules lists them");
  }
  const Wall now = context.now().wall;
  if (read->length > kSilenceLongest) read->length = kSilenceLongest + Seconds{1};
  Silence silence{.id = 0,
                  .rule = read->rule,
                  .subject = read->subject,
                  .from = now,
                  .until = now + read->length,
                  .by = {},
                  .reason = read->reason};
  // Who may not silence hears of that first, and of no cards or jobs.
  if (may(call.actor, Action::kSilence)) {
    auto fault = fault_of_silence(rules_in_force(context), context.state(), silence);
    if (fault) return failure(ErrorCode::kInvalid, *fault);
  }
  return silence;
}

// Alarms that are on, and that it hits.
std::vector<wire::Alarm> hit_by(const Context& context, const Silence& silence, const Veil& veil) {
  std::vector<wire::Alarm> hit = alarms_for(context, veil);
  std::erase_if(hit, [&silence](const wire::Alarm& alarm) {
    return !matches(silence, {alarm.rule, alarm.subject});
  });
  return hit;
}

void answer_silence(const Context& context, const Call& call, const Silence& asked,
                    std::optional<std::uint64_t> replaces) {
  const Veil veil(context, call.actor);
  wire::Silences answer{.replaces = replaces, .dry_run = call.dry_run};
  answer.alarms = hit_by(context, asked, veil);
  Silence made = asked;
  made.by = call.actor.user;
  for (const auto& [id, silence] : context.state().silences()) {
    const bool same = silence.rule == asked.rule && silence.subject == asked.subject &&
                      silence.by == call.actor.user;
    if (same && !call.dry_run) made = silence;
  }
  answer.silences.push_back(silence_row(made, veil));
  call.responder.send(json_response(wire::to_json(answer)));
}

// Those that are in the outbox now: the newest of each receiver.
std::vector<wire::AlarmTestMessage> test_messages(const StateView& state,
                                                  const std::vector<std::string>& receivers) {
  std::vector<wire::AlarmTestMessage> found;
  for (const std::string& name : receivers) {
    const OutboxBook::Line* line = state.outbox().find(name, {});
    if (line == nullptr) continue;
    for (auto entry = line->waiting.rbegin(); entry != line->waiting.rend(); ++entry) {
      // In a full outbox it is counted in the last one, whatever that tells of.
      const Message& message = state.messages().at(entry->first);
      if (message.notice.rule != kTestRule && message.times == 1) continue;
      found.push_back({.receiver = name, .id = message.id});
      break;
    }
  }
  return found;
}

Result<std::vector<std::string>> parse_test(const Context& context, const Call& call) {
  wire::AlarmTestRequest asked;
  if (!call.request.body.empty()) {
    auto read = wire::read_request<wire::AlarmTestRequest>(call.request.body);
    if (!read) return failure(read.error());
    asked = std::move(*read);
  }
  for (const auto& [field, text] :
       {std::pair("receiver", &asked.receiver), std::pair("rule", &asked.rule)}) {
    if (auto fault = fault_of_label(field, *text)) return failure(ErrorCode::kInvalid, *fault);
  }
  if (!asked.receiver.empty() && !asked.rule.empty()) {
    return failure(ErrorCode::kInvalid, "receiver and rule exclude each other");
  }
  if (!asked.rule.empty()) {
    const AlarmRules& rules = rules_in_force(context);
    const AlarmRule* rule = rules.find(asked.rule);
    if (rule == nullptr) {
      return failure(ErrorCode::kNotFound, "there is no rule '" + asked.rule + "'");
    }
    return rules.receivers_of(*rule);
  }
  const auto known =
      context.ports.receivers ? context.ports.receivers() : std::vector<std::string>{};
  if (asked.receiver.empty()) return known;
  if (std::ranges::find(known, asked.receiver) == known.end()) {
    return failure(ErrorCode::kNotFound, "there is no receiver '" + asked.receiver +
                                             "'; the configuration names them under receivers");
  }
  return std::vector{asked.receiver};
}

}  // namespace

void list_alarms(Context& context, Call call) {
  const Veil veil(context, call.actor);
  wire::AlarmList answer;
  answer.alarms = alarms_for(context, veil);
  for (const auto& [id, silence] : context.state().silences()) {
    answer.silences.push_back(silence_row(silence, veil));
  }
  const AlarmRules& rules = rules_in_force(context);
  for (const AlarmRule& rule : rules.all) answer.rules.push_back(rule_row(rules, rule));
  call.responder.send(json_response(wire::to_json(answer)));
}

void make_silence(Context& context, Call call) {
  Result<Silence> silence = parse_silence(context, call);
  if (!silence) return call.responder.fail(silence.error());
  with_named_actor(context, call, [&context, silence = *silence](const Call& named) {
    const auto replaces = same_silence(context.state().silences(), silence);
    ask_engine(context, named, SilenceAsked{named.actor, silence},
               [&context, named, silence, replaces](const Result<Answer>& answer) {
                 if (!answer) return named.responder.fail(answer.error());
                 answer_silence(context, named, silence, replaces);
               });
  });
}

void end_silence(Context& context, Call call) {
  const std::string& text = call.captured.at(0);
  SilenceEndAsked asked{call.actor, 0};
  if (!whole_number(text, asked.id)) {
    return call.responder.fail(
        {ErrorCode::kInvalid, "'" + text + "' is not the number of a silence"});
  }
  const Veil veil(context, call.actor);
  wire::Silences answer{.dry_run = call.dry_run};
  const auto found = context.state().silences().find(asked.id);
  if (found != context.state().silences().end()) {
    answer.silences.push_back(silence_row(found->second, veil));
    answer.alarms = hit_by(context, found->second, veil);
    const AlarmsOpen open{context.state().alarms(), context.state().silences()};
    for (wire::Alarm& alarm : answer.alarms) {
      alarm.quiet_because =
          quiet_without(rules_in_force(context), open, {alarm.rule, alarm.subject}, asked.id);
    }
  }
  ask_engine(context, call, asked, [call, answer](const Result<Answer>& done) {
    if (!done) return call.responder.fail(done.error());
    call.responder.send(json_response(wire::to_json(answer)));
  });
}

void test_alarms(Context& context, Call call) {
  // First: who may not has no receivers named.
  if (!may(call.actor, Action::kSilence)) {
    return call.responder.fail(
        {ErrorCode::kForbidden, "only " + std::string(who_may(Action::kSilence)) + " may " +
                                    std::string(rights_row(Action::kSilence).what)});
  }
  auto receivers = parse_test(context, call);
  if (!receivers) return call.responder.fail(receivers.error());
  with_named_actor(context, call, [&context, names = *receivers](const Call& named) {
    ask_engine(context, named, AlarmTestAsked{named.actor, names},
               [&context, named, names](const Result<Answer>& answer) {
                 if (!answer) return named.responder.fail(answer.error());
                 wire::AlarmTested tested{.receivers = names, .dry_run = named.dry_run};
                 if (!named.dry_run) tested.messages = test_messages(context.state(), names);
                 named.responder.send(json_response(wire::to_json(tested)));
               });
  });
}

}  // namespace gpusched
