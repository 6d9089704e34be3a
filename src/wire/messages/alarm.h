// Answers and requests about alarms.
#pragma once

#include "base/time.h"
#include "wire/message.h"

namespace gpusched::wire {

struct Alarm {
  std::string rule, subject, severity;
  std::string what, whom, advice;
  std::optional<Wall> since;
  std::optional<double> value;
  std::optional<Wall> told_at;
  std::vector<std::string> told_to;
  std::string quiet_because;
  std::optional<int> card;
  std::optional<std::uint64_t> job;
  std::string user;

  static constexpr std::string_view kName = "Alarm";
  static constexpr auto fields() {
    return std::make_tuple(field("rule", &Alarm::rule), field("subject", &Alarm::subject),
                           field("severity", &Alarm::severity, {.words = "info|warning|critical"}),
                           field("what", &Alarm::what), field("whom", &Alarm::whom, kOrNull),
                           field("advice", &Alarm::advice, kOrNull),
                           field("since", &Alarm::since, kAlways), field("value", &Alarm::value),
                           field("told_at", &Alarm::told_at), field("told_to", &Alarm::told_to),
                           field("quiet_because", &Alarm::quiet_because, kOrNull),
                           field("card", &Alarm::card), field("job", &Alarm::job),
                           field("user", &Alarm::user, kOrNull));
  }
};
struct Silence {
  std::uint64_t id = 0;
  std::string rule, subject;
  std::optional<Wall> from, until;
  std::string by, reason;

  static constexpr std::string_view kName = "Silence";
  static constexpr auto fields() {
    return std::make_tuple(
        field("id", &Silence::id), field("rule", &Silence::rule, kOrNull),
        field("subject", &Silence::subject, kOrNull), field("from", &Silence::from, kAlways),
        field("until", &Silence::until, kAlways), field("by", &Silence::by, kOrNull),
        field("reason", &Silence::reason, kOrNull));
  }
};
struct AlarmRule {
  std::string name, kind, watches;
  bool enabled = true;
  std::string severity;
  std::optional<double> threshold, clear;
  std::string unit;
  bool below = false;
  Seconds hold{0}, clear_for{0}, repeat{0};
  std::vector<std::string> receivers, inhibited_by;
  std::string weekly;

  static constexpr std::string_view kName = "AlarmRule";
  static constexpr auto fields() {
    return std::make_tuple(
        field("name", &AlarmRule::name), field("kind", &AlarmRule::kind),
        field("watches", &AlarmRule::watches), field("enabled", &AlarmRule::enabled),
        field("severity", &AlarmRule::severity, {.words = "info|warning|critical"}),
        field("threshold", &AlarmRule::threshold), field("clear", &AlarmRule::clear),
        field("unit", &AlarmRule::unit, kOrNull), field("below", &AlarmRule::below),
        field("for_s", &AlarmRule::hold), field("clear_for_s", &AlarmRule::clear_for),
        field("repeat_s", &AlarmRule::repeat), field("receivers", &AlarmRule::receivers),
        field("inhibited_by", &AlarmRule::inhibited_by),
        field("weekly", &AlarmRule::weekly, kOrNull));
  }
};
struct AlarmList {
  int schema = 1;
  std::vector<Alarm> alarms;
  std::vector<Silence> silences;
  std::vector<AlarmRule> rules;

  static constexpr std::string_view kName = "AlarmList";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &AlarmList::schema), field("alarms", &AlarmList::alarms),
                           field("silences", &AlarmList::silences),
                           field("rules", &AlarmList::rules));
  }
};

struct SilenceRequest {
  std::string rule, subject, reason;
  Seconds length{0};

  static constexpr std::string_view kName = "SilenceRequest";
  static constexpr auto fields() {
    return std::make_tuple(field("rule", &SilenceRequest::rule, {.most = 255, .what = "any"}),
                           field("subject", &SilenceRequest::subject, {.most = 255, .what = "any"}),
                           field("for_s", &SilenceRequest::length, {.must = true}),
                           field("reason", &SilenceRequest::reason, {.most = 1000}));
  }
};
struct Silences {
  int schema = 1;
  std::vector<Silence> silences;
  std::vector<Alarm> alarms;  // That are on, and hit.
  std::optional<std::uint64_t> replaces;
  bool dry_run = false;

  static constexpr std::string_view kName = "Silences";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &Silences::schema), field("silences", &Silences::silences),
        field("alarms", &Silences::alarms),
        field("replaces", &Silences::replaces,
              {.maybe = true, .what = "the silence of the same alarms, whose place it takes"}),
        field("dry_run", &Silences::dry_run, kMaybe));
  }
};
struct AlarmTestRequest {
  std::string receiver, rule;

  static constexpr std::string_view kName = "AlarmTestRequest";
  static constexpr auto fields() {
    return std::make_tuple(
        field("receiver", &AlarmTestRequest::receiver, {.most = 255, .what = "all"}),
        field("rule", &AlarmTestRequest::rule, {.most = 255, .what = "those of a rule instead"}));
  }
};
struct AlarmTestMessage {
  std::string receiver;
  std::uint64_t id = 0;

  static constexpr std::string_view kName = "AlarmTestMessage";
  static constexpr auto fields() {
    return std::make_tuple(field("receiver", &AlarmTestMessage::receiver),
                           field("id", &AlarmTestMessage::id, {.what = "as the outbox has it"}));
  }
};
struct AlarmTested {
  int schema = 1;
  std::vector<std::string> receivers;
  std::vector<AlarmTestMessage> messages;
  bool dry_run = false;

  static constexpr std::string_view kName = "AlarmTested";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &AlarmTested::schema), field("receivers", &AlarmTested::receivers),
        field("messages", &AlarmTested::messages), field("dry_run", &AlarmTested::dry_run, kMaybe));
  }
};

}  // namespace gpusched::wire
