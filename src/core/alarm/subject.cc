#include "core/alarm/subject.h"

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {
namespace {

// What stands behind "card " and the like.
std::optional<std::string_view> behind(std::string_view text, std::string_view word) {
  if (!text.starts_with(word) || text.size() == word.size()) return std::nullopt;
  return text.substr(word.size());
}

std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view word) {
  const auto rest = behind(text, word);
  std::uint64_t number = 0;
  if (!rest || !whole_number(*rest, number)) return std::nullopt;
  return number;
}

bool is_card(const StateView& state, const std::string& subject) {
  const auto number = number_behind(subject, "card ");
  return number && std::ranges::any_of(state.cards(), [&](const Card& card) {
           return static_cast<std::uint64_t>(number_of(card.number)) == *number;
         });
}

bool can_be(const StateView& state, AlarmSubject kind, const std::string& subject) {
  switch (kind) {
    case AlarmSubject::kCard:
      return is_card(state, subject);
    case AlarmSubject::kCards:
      return subject == "the cards" || is_card(state, subject);
    case AlarmSubject::kHolder: {
      const auto job = number_behind(subject, "job ");
      const Job* found = job ? state.find(JobId{*job}) : nullptr;
      return (found != nullptr && !found->ended()) || number_behind(subject, "process ");
    }
    case AlarmSubject::kMachine:
      return subject == kTheMachine;
    case AlarmSubject::kUser:
      return behind(subject, "user ").has_value();
    case AlarmSubject::kPrograms: {
      const std::size_t of = subject.rfind(" of ");
      return of != std::string::npos && of > 0 && of + 4 < subject.size();
    }
    case AlarmSubject::kTenant:
      return behind(subject, "tenant ").has_value();
    case AlarmSubject::kNone:
      return false;
  }
  return false;
}

std::string cards_there(const StateView& state) {
  constexpr std::size_t kNamed = 16;
  std::string text;
  for (std::size_t i = 0; i < state.cards().size() && i < kNamed; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(number_of(state.cards()[i].number));
  }
  if (state.cards().size() > kNamed) text += ", …";
  return text.empty() ? "this machine has none" : "this machine has " + text;
}

std::string no_such_subject(const StateView& state, const Silence& silence, AlarmSubject kind) {
  const bool of_cards = kind == AlarmSubject::kCard || kind == AlarmSubject::kCards;
  const bool any = silence.rule.empty();
  if ((of_cards || any) && number_behind(silence.subject, "card ")) {
    return "there is no " + silence.subject + "; " + cards_there(state);
  }
  const bool job = number_behind(silence.subject, "job ").has_value();
  if (job && (any || kind == AlarmSubject::kHolder)) {
    return silence.subject + " is not there, or has ended";
  }
  if (any) {
    return "no alarm is ever of '" + silence.subject +
           "'; write it as the list shows it: card 0, user ml1, tenant lab, the machine";
  }
  return "no alarm of " + silence.rule + " is ever of '" + silence.subject + "'; write it like " +
         std::string(subjects_look_like(kind));
}

}  // namespace

std::string_view subjects_look_like(AlarmSubject subject) {
  switch (subject) {
    case AlarmSubject::kCard:
      return "card 0";
    case AlarmSubject::kCards:
      return "card 0, or the cards";
    case AlarmSubject::kHolder:
      return "job 7, or process 4711";
    case AlarmSubject::kMachine:
      return kTheMachine;
    case AlarmSubject::kUser:
      return "user ml1";
    case AlarmSubject::kPrograms:
      return "train.py of lab";
    case AlarmSubject::kTenant:
      return "tenant lab";
    case AlarmSubject::kNone:
      return {};
  }
  return {};
}

std::optional<std::string> fault_of_silence(const AlarmRules& rules, const StateView& state,
                                            const Silence& silence) {
  const AlarmRule* rule = silence.rule.empty() ? nullptr : rules.find(silence.rule);
  if (rule != nullptr) {
    const AlarmSubject kind = alarm_kind_row(rule->kind).subject;
    if (kind == AlarmSubject::kNone) {
      return rule->name + " is a report and no alarm: switch it off in the configuration";
    }
    if (!rule->enabled) {
      return "rule " + rule->name + " is off in the configuration, so nothing of it is ever told";
    }
  }
  // As a card that is on and not listed any more.
  const auto is_on = [&](const auto& entry) { return matches(silence, entry.first); };
  if (silence.subject.empty() || std::ranges::any_of(state.alarms(), is_on)) return std::nullopt;
  if (rule != nullptr) {
    const AlarmSubject kind = alarm_kind_row(rule->kind).subject;
    if (can_be(state, kind, silence.subject)) return std::nullopt;
    return no_such_subject(state, silence, kind);
  }
  for (const AlarmKindRow& row : alarm_kinds()) {
    if (can_be(state, row.subject, silence.subject)) return std::nullopt;
  }
  return no_such_subject(state, silence, AlarmSubject::kNone);
}

std::string quiet_without(const AlarmRules& rules, const AlarmsOpen& open, const AlarmKey& alarm,
                          std::uint64_t silence) {
  for (const auto& [id, one] : open.silences) {
    if (id != silence && matches(one, alarm)) return "silence " + std::to_string(id);
  }
  const AlarmRule* rule = rules.find(alarm.rule);
  if (rule == nullptr) return {};
  for (const std::string& other : rule->inhibited_by) {
    if (other == alarm.rule) continue;
    if (open.alarms.contains({other, alarm.subject}) ||
        open.alarms.contains({other, std::string(kTheMachine)})) {
      return "inhibited by " + other;
    }
  }
  return {};
}

}  // namespace gpusched
